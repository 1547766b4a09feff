/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C parameter that each KIND of a cell in mpi_calls.def stands for. Kinds that differ in
 * large-count functions are chosen by LARGE (0 or 1).
 */
#ifndef MPI_LAYOUT_KINDS_H
#define MPI_LAYOUT_KINDS_H

#define OMPI_OMIT_MPI1_COMPAT_DECLS 0 /* Open MPI: declare what MPI-3 has removed */
#include <mpi.h>

#if MPI_VERSION < 4
typedef struct no_session *MPI_Session;
typedef void MPI_Session_errhandler_function(MPI_Session *, int *, ...);
typedef struct no_registration *MPI_T_event_registration;
typedef struct no_instance *MPI_T_event_instance;
typedef int MPI_T_cb_safety;
typedef int MPI_T_source_order;
typedef void MPI_T_event_cb_function(MPI_T_event_instance, MPI_T_event_registration,
                                     MPI_T_cb_safety, void *);
typedef void MPI_T_event_free_cb_function(MPI_T_event_registration, MPI_T_cb_safety, void *);
typedef void MPI_T_event_dropped_cb_function(MPI_Count, MPI_T_event_registration, int,
                                             MPI_T_cb_safety, void *);
#endif

/* clang-format off */
#define C_NOTHING(LARGE, name)      void
#define C_ARGV(LARGE, name)         char ***name
#define C_BUF(LARGE, name)          void *name
#define C_CBUF(LARGE, name)         const void *name
#define C_INT(LARGE, name)          int name
#define C_INT_OUT(LARGE, name)      int *name
#define C_INTS(LARGE, name)         const int name[]
#define C_INTS_OUT(LARGE, name)     int name[]
#define C_RANGES(LARGE, name)       int name[][3]
#define C_AINT(LARGE, name)         MPI_Aint name
#define C_AINT_OUT(LARGE, name)     MPI_Aint *name
#define C_AINTS(LARGE, name)        const MPI_Aint name[]
#define C_AINTS_OUT(LARGE, name)    MPI_Aint name[]
#define C_LCOUNT(LARGE, name)       MPI_Count name
#define C_LCOUNT_OUT(LARGE, name)   MPI_Count *name
#define C_LCOUNTS_OUT(LARGE, name)  MPI_Count name[]
#define C_OFFSET(LARGE, name)       MPI_Offset name
#define C_OFFSET_OUT(LARGE, name)   MPI_Offset *name
#define C_STRING(LARGE, name)       const char *name
#define C_STRING_OUT(LARGE, name)   char *name
#define C_STRINGS(LARGE, name)      char *name[]
#define C_STRINGS2(LARGE, name)     char **name[]
#define C_TYPE(LARGE, name)         MPI_Datatype name
#define C_TYPE_OUT(LARGE, name)     MPI_Datatype *name
#define C_TYPES(LARGE, name)        const MPI_Datatype name[]
#define C_TYPES_OUT(LARGE, name)    MPI_Datatype name[]
#define C_OP(LARGE, name)           MPI_Op name
#define C_OP_OUT(LARGE, name)       MPI_Op *name
#define C_COMM(LARGE, name)         MPI_Comm name
#define C_COMM_OUT(LARGE, name)     MPI_Comm *name
#define C_GROUP(LARGE, name)        MPI_Group name
#define C_GROUP_OUT(LARGE, name)    MPI_Group *name
#define C_INFO(LARGE, name)         MPI_Info name
#define C_INFO_OUT(LARGE, name)     MPI_Info *name
#define C_INFOS(LARGE, name)        const MPI_Info name[]
#define C_REQUEST(LARGE, name)      MPI_Request name
#define C_REQUEST_OUT(LARGE, name)  MPI_Request *name
#define C_REQUESTS(LARGE, name)     MPI_Request name[]
#define C_CREQUESTS(LARGE, name)    const MPI_Request name[]
#define C_MESSAGE_OUT(LARGE, name)  MPI_Message *name
#define C_STATUS(LARGE, name)       MPI_Status *name
#define C_CSTATUS(LARGE, name)      const MPI_Status *name
#define C_STATUSES(LARGE, name)     MPI_Status name[]
#define C_FILE(LARGE, name)         MPI_File name
#define C_FILE_OUT(LARGE, name)     MPI_File *name
#define C_WIN(LARGE, name)          MPI_Win name
#define C_WIN_OUT(LARGE, name)      MPI_Win *name
#define C_ERRHANDLER(LARGE, name)   MPI_Errhandler name
#define C_ERRHANDLER_OUT(LARGE, name) MPI_Errhandler *name
#define C_SESSION(LARGE, name)      MPI_Session name
#define C_SESSION_OUT(LARGE, name)  MPI_Session *name
#define C_QUERY_FN(LARGE, name)     MPI_Grequest_query_function *name
#define C_FREE_FN(LARGE, name)      MPI_Grequest_free_function *name
#define C_CANCEL_FN(LARGE, name)    MPI_Grequest_cancel_function *name
#define C_EXTENT_FN(LARGE, name)    MPI_Datarep_extent_function *name
#define C_COPY_FN(LARGE, name)      MPI_Copy_function *name
#define C_DELETE_FN(LARGE, name)    MPI_Delete_function *name
#define C_COMM_COPY_FN(LARGE, name)   MPI_Comm_copy_attr_function *name
#define C_COMM_DELETE_FN(LARGE, name) MPI_Comm_delete_attr_function *name
#define C_TYPE_COPY_FN(LARGE, name)   MPI_Type_copy_attr_function *name
#define C_TYPE_DELETE_FN(LARGE, name) MPI_Type_delete_attr_function *name
#define C_WIN_COPY_FN(LARGE, name)    MPI_Win_copy_attr_function *name
#define C_WIN_DELETE_FN(LARGE, name)  MPI_Win_delete_attr_function *name
#define C_COMM_ERROR_FN(LARGE, name)  MPI_Comm_errhandler_function *name
#define C_FILE_ERROR_FN(LARGE, name)  MPI_File_errhandler_function *name
#define C_WIN_ERROR_FN(LARGE, name)   MPI_Win_errhandler_function *name
#define C_SESSION_ERROR_FN(LARGE, name) MPI_Session_errhandler_function *name
#define C_T_ENUM(LARGE, name)         MPI_T_enum name
#define C_T_ENUM_OUT(LARGE, name)     MPI_T_enum *name
#define C_T_CVAR_HANDLE(LARGE, name)  MPI_T_cvar_handle name
#define C_T_CVAR_HANDLE_OUT(LARGE, name)  MPI_T_cvar_handle *name
#define C_T_PVAR_HANDLE(LARGE, name)  MPI_T_pvar_handle name
#define C_T_PVAR_HANDLE_OUT(LARGE, name)  MPI_T_pvar_handle *name
#define C_T_PVAR_SESSION(LARGE, name) MPI_T_pvar_session name
#define C_T_PVAR_SESSION_OUT(LARGE, name) MPI_T_pvar_session *name
#define C_T_REGISTRATION(LARGE, name) MPI_T_event_registration name
#define C_T_REGISTRATION_OUT(LARGE, name) MPI_T_event_registration *name
#define C_T_INSTANCE(LARGE, name)     MPI_T_event_instance name
#define C_T_SAFETY(LARGE, name)       MPI_T_cb_safety name
#define C_T_ORDER_OUT(LARGE, name)    MPI_T_source_order *name
#define C_T_EVENT_FN(LARGE, name)     MPI_T_event_cb_function name
#define C_T_FREE_FN(LARGE, name)      MPI_T_event_free_cb_function name
#define C_T_DROPPED_FN(LARGE, name)   MPI_T_event_dropped_cb_function name

/* As they are, and in a large-count function. */
#define CHOOSE_(LARGE, small, large)  CHOOSE_##LARGE(small, large)
#define CHOOSE_0(small, large)        small
#define CHOOSE_1(small, large)        large
#define C_COUNT(LARGE, name)        CHOOSE_(LARGE, int, MPI_Count) name
#define C_COUNT_OUT(LARGE, name)    CHOOSE_(LARGE, int, MPI_Count) *name
#define C_COUNTS(LARGE, name)       const CHOOSE_(LARGE, int, MPI_Count) name[]
#define C_DISP(LARGE, name)         CHOOSE_(LARGE, int, MPI_Aint) name
#define C_DISP_OUT(LARGE, name)     CHOOSE_(LARGE, int, MPI_Aint) *name
#define C_DISPLS(LARGE, name)       const CHOOSE_(LARGE, int, MPI_Aint) name[]
#define C_EXTENT(LARGE, name)       CHOOSE_(LARGE, MPI_Aint, MPI_Count) name
#define C_EXTENT_OUT(LARGE, name)   CHOOSE_(LARGE, MPI_Aint, MPI_Count) *name
#define C_EXTENTS(LARGE, name)      const CHOOSE_(LARGE, MPI_Aint, MPI_Count) name[]
#define C_USER_FN(LARGE, name) \
    CHOOSE_(LARGE, MPI_User_function, MPI_User_function_c) *name
#define C_CONVERSION(LARGE, name) \
    CHOOSE_(LARGE, MPI_Datarep_conversion_function, MPI_Datarep_conversion_function_c) *name
/* clang-format on */

#endif
