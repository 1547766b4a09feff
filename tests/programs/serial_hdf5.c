/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5 without MPI: datasets are made, written and read in parts and as a whole, and calls fail.
 * Prints of each dataset what was read and written, and what the program sees of errors.
 */
#include <errno.h>
#include <hdf5.h>

#include "expect.h"

enum { N = 1000, PART = 30, STRANGE = 1234 };

static double numbers[N];
static int small[N];

static hid_t make(hid_t where, const char *name, hid_t type, hsize_t n)
{
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t timeless = H5Pcreate(H5P_DATASET_CREATE); /* two runs make the same file */
    H5Pset_obj_track_times(timeless, 0);
    hid_t set = H5Dcreate2(where, name, type, space, H5P_DEFAULT, timeless, H5P_DEFAULT);
    H5Pclose(timeless);
    H5Sclose(space);
    EXPECT(set >= 0);
    return set;
}

static void write_all(hid_t file)
{
    hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t whole = make(file, "whole", H5T_NATIVE_DOUBLE, N);
    hid_t inner = make(group, "inner", H5T_NATIVE_SHORT, N);
    errno = STRANGE;
    EXPECT(H5Dwrite(whole, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) == 0);
    printf("errno %d\n", errno == STRANGE);
    /* In the file a short, in memory an int. */
    EXPECT(H5Dwrite(inner, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, small) == 0);
    H5Dclose(inner);
    H5Dclose(whole);
    H5Gclose(group);
    EXPECT(H5Fflush(file, H5F_SCOPE_GLOBAL) == 0);
}

static void read_part(hid_t file)
{
    hsize_t start = 100, count = PART;
    hid_t set = H5Dopen2(file, "/whole", H5P_DEFAULT);
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, &count, NULL);
    double part[PART];
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    EXPECT(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, part) == 0);
    EXPECT(part[1] == numbers[start + 1]);
    /* Two references: the first close ends nothing. */
    EXPECT(H5Iinc_ref(set) == 2 && H5Dclose(set) == 0);
    EXPECT(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, part) == 0);
    EXPECT(H5Idec_ref(set) == 0);
    H5Sclose(memory);
    H5Sclose(space);
}

/* The library prints what goes wrong, and keeps a stack of it. */
static void fail(hid_t file)
{
    hid_t set = H5Dopen2(file, "group/inner", H5P_DEFAULT);
    EXPECT(H5Dopen2(file, "missing", H5P_DEFAULT) < 0);
    printf("errors %d\n", (int)H5Eget_num(H5E_DEFAULT));
    EXPECT(H5Dread(file, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, small) < 0);
    EXPECT(H5Dread(set, set, H5S_ALL, H5S_ALL, H5P_DEFAULT, small) < 0);
    EXPECT(H5Dread(set, H5T_NATIVE_INT, set, H5S_ALL, H5P_DEFAULT, small) < 0);
    EXPECT(H5Dwrite(set + 1000, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, file, small) < 0);
    EXPECT(H5Fopen("missing.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    printf("errors %d\n", (int)H5Eget_num(H5E_DEFAULT));
    EXPECT(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, small) == 0);
    printf("errors %d\n", (int)H5Eget_num(H5E_DEFAULT));
    EXPECT(H5Fclose(file) == 0);
    /* The dataset keeps the file open. */
    EXPECT(H5Dread(set, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, small) == 0);
    EXPECT(H5Dclose(set) == 0);
}

/* The file takes what is in it along. */
static void close_strongly(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    hid_t file = H5Fopen("data.h5", H5F_ACC_RDWR, access);
    hid_t set = H5Oopen(file, "whole", H5P_DEFAULT);
    EXPECT(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) == 0);
    EXPECT(H5Fclose(file) == 0 && H5Iis_valid(set) == 0);
    H5Pclose(access);
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
        small[i] = i;
    }
    hid_t file = H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write_all(file);
    EXPECT(H5Fclose(file) == 0);
    file = H5Fopen("data.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    read_part(file);
    fail(file);
    close_strongly();
    /* What a failed call asked for is not moved. */
    printf("/whole %d %d\n", (int)sizeof(double) * (2 * PART + N), (int)sizeof(double) * N);
    printf("/group/inner %d %d\n", (int)(sizeof(int) + sizeof(short)) * N, (int)sizeof(int) * N);
    return unexpected;
}
