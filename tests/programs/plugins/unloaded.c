/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plug-in for unloads.c, with ANSWER, 0 for the plug-in that stays. It uses OpenMP, MPI in C
 * (-DWITH_MPI) or in Fortran (-DWITH_FORTRAN, with unloaded.F90), HDF5 (-DWITH_HDF5), or an
 * interpreter of Python (-DWITH_PYTHON).
 */
#if defined(WITH_PYTHON)
#include <Python.h>
#endif
#include <stddef.h>
#if defined(WITH_MPI)
#include <mpi.h>
#elif defined(WITH_HDF5)
#include <hdf5.h>
#include <stdio.h>
#endif

static volatile int *ended;

int use(volatile int *count);

static __attribute__((destructor)) void end(void)
{
    if (ended)
        ++*ended;
}

#if defined(WITH_FORTRAN)
int work(void);
#elif defined(WITH_MPI)
static int work(void)
{
    int is_begun = 0, provided = 0, one = 1, sum = 0;
    MPI_Initialized(&is_begun);
    if (!is_begun)
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
#if ANSWER == 1
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
#elif ANSWER == 2
    MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_SELF);
#else
    MPI_Comm_rank(MPI_COMM_SELF, &sum);
    sum += one;
#endif
    return sum == 1;
}
#elif defined(WITH_HDF5)
static int work(void)
{
    char name[32];
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 4096, 0);
    snprintf(name, sizeof name, "unloaded%d.h5", ANSWER);
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    int is_right = file >= 0 && H5Fclose(file) >= 0;
    H5Pclose(access);
    return is_right;
}
#elif defined(WITH_PYTHON)
/* The first plug-in begins the interpreter, which stays with its library. */
static int work(void)
{
    static const char *const source[] = {"0", "def first():\n    pass\nfirst()\n",
                                         "def second():\n    pass\nsecond()\n"};
    if (!Py_IsInitialized()) {
        Py_InitializeEx(0);
        PyEval_SaveThread();
    }
    PyGILState_STATE state = PyGILState_Ensure();
    int is_right = PyRun_SimpleString(source[ANSWER]) == 0;
    PyGILState_Release(state);
    return is_right;
}
#else
static int work(void)
{
    int sum = 0;
#if ANSWER == 1
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
#elif ANSWER == 2
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 2; i++)
        sum++;
#else
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
#endif
    return sum == 2;
}
#endif

int use(volatile int *count)
{
    ended = count;
    return work() ? ANSWER : -1;
}
