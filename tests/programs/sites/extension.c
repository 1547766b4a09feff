/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A module of Python, in C, that makes calls of MPI: barrier() without the GIL, as mpi4py does,
 * locked_barrier() with it; through(f) calls f, so that there are frames of C between those of
 * Python; alone() calls on a thread that Python does not know.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <mpi.h>
#include <pthread.h>

static PyObject *begin(PyObject *self, PyObject *arguments)
{
    int given;
    (void)self, (void)arguments;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &given);
    Py_RETURN_NONE;
}

static PyObject *end(PyObject *self, PyObject *arguments)
{
    (void)self, (void)arguments;
    MPI_Finalize();
    Py_RETURN_NONE;
}

static PyObject *barrier(PyObject *self, PyObject *arguments)
{
    (void)self, (void)arguments;
    Py_BEGIN_ALLOW_THREADS MPI_Barrier(MPI_COMM_SELF);
    Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static PyObject *locked_barrier(PyObject *self, PyObject *arguments)
{
    (void)self, (void)arguments;
    MPI_Barrier(MPI_COMM_SELF);
    Py_RETURN_NONE;
}

static PyObject *through(PyObject *self, PyObject *function)
{
    (void)self;
    return PyObject_CallNoArgs(function);
}

static void *call_alone(void *arg)
{
    MPI_Barrier(MPI_COMM_SELF);
    return arg;
}

static PyObject *alone(PyObject *self, PyObject *arguments)
{
    pthread_t thread;
    (void)self, (void)arguments;
    Py_BEGIN_ALLOW_THREADS if (pthread_create(&thread, NULL, call_alone, NULL) == 0)
        pthread_join(thread, NULL);
    Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"begin", begin, METH_NOARGS, ""},
                                {"end", end, METH_NOARGS, ""},
                                {"barrier", barrier, METH_NOARGS, ""},
                                {"locked_barrier", locked_barrier, METH_NOARGS, ""},
                                {"through", through, METH_O, ""},
                                {"alone", alone, METH_NOARGS, ""},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "extension",
                                    .m_methods = methods};

PyMODINIT_FUNC PyInit_extension(void);
PyMODINIT_FUNC PyInit_extension(void)
{
    return PyModule_Create(&module);
}
