/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The common idiom of all tables in this tree: a row is fixed columns, then a doc string, then
 * cells (KIND, name), maybe no cell at all.
 *
 *     EVENT(MpiSend, MPI_SEND, 14, 1, 0, "...", (U32, receiver), (COMM, communicator))
 *
 * A consumer takes `doc, cells...` as its variadic part and maps a macro over the cells; the macro
 * is handed the row's name as well:
 *
 *     #define PARAM(Row, kind, name) , otf2_t_##kind name
 *     #define EVENT(Name, NAME, id, major, minor, ...)                                          \
 *         void put_##Name(int first OTF2_SEQ(PARAM, Name, __VA_ARGS__));
 *
 * SEQ puts nothing between the results and allows rows without cells. LIST puts commas between the
 * results and wants at least one cell; the variadic part starts with the doc string as well. A row
 * holds at most 16 cells.
 */
#ifndef OTF2_FOREACH_H
#define OTF2_FOREACH_H

#define OTF2_SEQ(m, row, ...)                                                                      \
    OTF2_CAT_(OTF2_DOC_SEQ_, OTF2_CELLS_(__VA_ARGS__))(m, row, __VA_ARGS__)
#define OTF2_LIST(m, row, ...)                                                                     \
    OTF2_CAT_(OTF2_DOC_LIST_, OTF2_CELLS_(__VA_ARGS__))(m, row, __VA_ARGS__)
#define OTF2_DOC(...) OTF2_FIRST_(__VA_ARGS__, 0)

/* clang-format off */
#define OTF2_CAT_(a, b)      OTF2_CAT2_(a, b)
#define OTF2_CAT2_(a, b)     a##b
#define OTF2_CALL_(m, ...)   m(__VA_ARGS__)
#define OTF2_OPEN_(...)      __VA_ARGS__
#define OTF2_FIRST_(a, ...)  a
#define OTF2_ONE_(m, row, c) OTF2_CALL_(m, row, OTF2_OPEN_ c)
#define OTF2_NTH_(z, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) count
/* SOME: at least one cell behind the doc string. */
#define OTF2_CELLS_(...) \
    OTF2_NTH_(__VA_ARGS__, SOME, SOME, SOME, SOME, SOME, SOME, SOME, SOME, SOME, SOME, SOME, SOME, \
              SOME, SOME, SOME, SOME, NONE, 0)
#define OTF2_COUNT_(...) \
    OTF2_NTH_(0, __VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)

#define OTF2_DOC_SEQ_NONE(m, r, doc)
#define OTF2_DOC_SEQ_SOME(m, r, doc, ...)  OTF2_CAT_(OTF2_SEQ_, OTF2_COUNT_(__VA_ARGS__))(m, r, __VA_ARGS__)
#define OTF2_DOC_LIST_SOME(m, r, doc, ...) OTF2_CAT_(OTF2_LIST_, OTF2_COUNT_(__VA_ARGS__))(m, r, __VA_ARGS__)

#define OTF2_LIST_1(m, r, c) OTF2_ONE_(m, r, c)
#define OTF2_LIST_2(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_1(m, r, __VA_ARGS__)
#define OTF2_LIST_3(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_2(m, r, __VA_ARGS__)
#define OTF2_LIST_4(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_3(m, r, __VA_ARGS__)
#define OTF2_LIST_5(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_4(m, r, __VA_ARGS__)
#define OTF2_LIST_6(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_5(m, r, __VA_ARGS__)
#define OTF2_LIST_7(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_6(m, r, __VA_ARGS__)
#define OTF2_LIST_8(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_7(m, r, __VA_ARGS__)
#define OTF2_LIST_9(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_8(m, r, __VA_ARGS__)
#define OTF2_LIST_10(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_9(m, r, __VA_ARGS__)
#define OTF2_LIST_11(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_10(m, r, __VA_ARGS__)
#define OTF2_LIST_12(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_11(m, r, __VA_ARGS__)
#define OTF2_LIST_13(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_12(m, r, __VA_ARGS__)
#define OTF2_LIST_14(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_13(m, r, __VA_ARGS__)
#define OTF2_LIST_15(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_14(m, r, __VA_ARGS__)
#define OTF2_LIST_16(m, r, c, ...) OTF2_ONE_(m, r, c), OTF2_LIST_15(m, r, __VA_ARGS__)

#define OTF2_SEQ_1(m, r, c) OTF2_ONE_(m, r, c)
#define OTF2_SEQ_2(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_1(m, r, __VA_ARGS__)
#define OTF2_SEQ_3(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_2(m, r, __VA_ARGS__)
#define OTF2_SEQ_4(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_3(m, r, __VA_ARGS__)
#define OTF2_SEQ_5(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_4(m, r, __VA_ARGS__)
#define OTF2_SEQ_6(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_5(m, r, __VA_ARGS__)
#define OTF2_SEQ_7(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_6(m, r, __VA_ARGS__)
#define OTF2_SEQ_8(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_7(m, r, __VA_ARGS__)
#define OTF2_SEQ_9(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_8(m, r, __VA_ARGS__)
#define OTF2_SEQ_10(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_9(m, r, __VA_ARGS__)
#define OTF2_SEQ_11(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_10(m, r, __VA_ARGS__)
#define OTF2_SEQ_12(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_11(m, r, __VA_ARGS__)
#define OTF2_SEQ_13(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_12(m, r, __VA_ARGS__)
#define OTF2_SEQ_14(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_13(m, r, __VA_ARGS__)
#define OTF2_SEQ_15(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_14(m, r, __VA_ARGS__)
#define OTF2_SEQ_16(m, r, c, ...) OTF2_ONE_(m, r, c) OTF2_SEQ_15(m, r, __VA_ARGS__)
/* clang-format on */

#endif
