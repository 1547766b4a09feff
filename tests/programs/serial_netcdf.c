/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NetCDF, in both of its formats: variables are written and read in all shapes. Prints of each
 * variable what was read and written.
 */
#include <netcdf.h>
#include <string.h>

#include "expect.h"

enum { ROWS = 4, COLUMNS = 6 };

static double numbers[ROWS * COLUMNS];
static int small[COLUMNS];

static void write_file(const char *path, int format)
{
    int file, rows, columns, table, line, text, dimensions[2];
    const size_t origin[] = {0, 0}, row[] = {1, COLUMNS}, cell[] = {3, 2}, second[] = {1, 0};
    const ptrdiff_t every[] = {1, 2}, map[] = {COLUMNS, 1};
    const size_t half[] = {1, COLUMNS / 2};
    EXPECT(nc_create(path, NC_CLOBBER | format, &file) == NC_NOERR);
    nc_def_dim(file, "rows", NC_UNLIMITED, &rows);
    nc_def_dim(file, "columns", COLUMNS, &columns);
    dimensions[0] = rows;
    dimensions[1] = columns;
    nc_def_var(file, "table", NC_FLOAT, 2, dimensions, &table);
    nc_def_var(file, "line", NC_SHORT, 1, &columns, &line);
    nc_def_var(file, "text", NC_CHAR, 1, &columns, &text);
    EXPECT(nc_enddef(file) == NC_NOERR);
    EXPECT(nc_put_vara_double(file, table, origin, row, numbers) == NC_NOERR);
    EXPECT(nc_put_vars_double(file, table, second, half, every, numbers) == NC_NOERR);
    EXPECT(nc_put_varm_double(file, table, second, row, NULL, map, numbers) == NC_NOERR);
    EXPECT(nc_put_var1_int(file, table, cell, small) == NC_NOERR);
    EXPECT(nc_put_vara(file, table, origin, row, numbers) == NC_NOERR);
    EXPECT(nc_put_var_int(file, line, small) == NC_NOERR);
    EXPECT(nc_put_var_text(file, text, "abcdef") == NC_NOERR);
    EXPECT(nc_put_var_int(file, 77, small) == NC_ENOTVAR);
    EXPECT(nc_sync(file) == NC_NOERR && nc_close(file) == NC_NOERR);
}

static void read_file(const char *path)
{
    int file, table, line;
    EXPECT(nc_open(path, NC_NOWRITE, &file) == NC_NOERR);
    nc_inq_varid(file, "table", &table);
    nc_inq_varid(file, "line", &line);
    EXPECT(nc_get_var_double(file, table, numbers) == NC_NOERR);
    EXPECT(nc_get_var(file, line, small) == NC_NOERR);
    EXPECT(nc_close(file) == NC_NOERR);
    EXPECT(nc_open("missing.nc", NC_NOWRITE, &file) != NC_NOERR);
}

int main(void)
{
    const int formats[] = {NC_CLASSIC_MODEL, NC_NETCDF4};
    const char *const paths[] = {"classic.nc", "new.nc"};
    /* A row, half a row, a row, a cell, and a row as the float that the variable is. */
    const int table = (int)sizeof(double) * (2 * COLUMNS + COLUMNS / 2) + (int)sizeof(int) +
                      (int)sizeof(float) * COLUMNS;
    for (int i = 0; i < 2; i++) {
        write_file(paths[i], formats[i] == NC_NETCDF4 ? NC_NETCDF4 : 0);
        read_file(paths[i]);
        printf("%s:table %d %d\n", paths[i], (int)sizeof numbers, table);
        printf("%s:line %d %d\n", paths[i], (int)sizeof(short) * COLUMNS,
               (int)sizeof(int) * COLUMNS);
        printf("%s:text 0 %d\n", paths[i], COLUMNS);
    }
    return unexpected;
}
