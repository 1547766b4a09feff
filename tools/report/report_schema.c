/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/report_schema.h"

#include "tools/report/compare/compare.h"
#include "tools/report/compare/report_diff.h"
#include "tools/report/show/report_sections.h"

/* A number that is true is none of these: negative, above 100 % (but for rounding), not finite. */
#define SECONDS_ "{\"type\": [\"number\", \"null\"], \"minimum\": 0}"
#define PERCENT_ "{\"type\": [\"number\", \"null\"], \"minimum\": 0, \"maximum\": 100.0001}"
#define COUNT_ "{\"type\": [\"integer\", \"null\"], \"minimum\": 0}"
#define TEXTS_ "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}"

static const char *const types[] = {
    [UNIT_TEXT] = "{\"type\": [\"string\", \"null\"]}",
    [UNIT_ID] = COUNT_,
    [UNIT_COUNT] = COUNT_,
    [UNIT_SECONDS] = SECONDS_,
    [UNIT_BYTES] = COUNT_,
    [UNIT_RATE] = "{\"type\": [\"number\", \"null\"], \"minimum\": 0}",
    [UNIT_PERCENT] = PERCENT_,
    [UNIT_NUMBER] = "{\"type\": [\"number\", \"null\"]}",
    [UNIT_CHANGE] = "{\"type\": [\"number\", \"null\"]}",
    [UNIT_CHANGE_PERCENT] = "{\"type\": [\"number\", \"null\"]}",
};

/* What stands in front of the tables, in the order of docs/report.md. */
static const struct {
    const char *key;
    const char *type;
} members[] = {
    {"spur_report", "{\"const\": 1}"},
    {"archive", "{\"type\": \"string\"}"},
    {"command", "{\"type\": \"string\"}"},
    {"machine", "{\"type\": \"string\"}"},
    {"creator", "{\"type\": \"string\"}"},
    {"begin", "{\"type\": \"string\"}"},
    {"hosts", COUNT_},
    {"processes", COUNT_},
    {"threads", COUNT_},
    {"events", COUNT_},
    {"wall", SECONDS_},
    {"time", SECONDS_},
    {"not_recorded", SECONDS_},
    {"portions", "{\"type\": \"object\", \"additionalProperties\": " SECONDS_ "}"},
    {"findings",
     "{\"type\": \"array\", \"items\": {\"type\": \"object\","
     " \"required\": [\"kind\", \"seconds\", \"percent\", \"text\", \"from\", \"to\","
     " \"locations\", \"site\", \"cause\"],"
     " \"properties\": {\"kind\": {\"type\": \"string\"}, \"seconds\": " SECONDS_
     ", \"percent\": " PERCENT_
     ", \"text\": {\"type\": \"string\"}, \"from\": {\"type\": [\"number\", \"null\"]},"
     " \"to\": {\"type\": [\"number\", \"null\"]}, \"locations\": {\"type\": \"array\","
     " \"items\": {\"type\": \"integer\"}},"
     " \"site\": {\"type\": [\"string\", \"null\"]},"
     " \"cause\": {\"type\": [\"object\", \"null\"], \"required\": [\"process\","
     " \"region\", \"path\", \"after\", \"site\", \"seconds\", \"gain\"],"
     " \"properties\": {\"process\": {\"type\": \"string\"},"
     " \"region\": {\"type\": \"string\"}, \"path\": {\"type\": \"string\"},"
     " \"after\": {\"type\": \"string\"},"
     " \"site\": {\"type\": \"string\"}, \"seconds\": " SECONDS_ ", \"gain\": " SECONDS_ "}}}}}"},
    {"missing", TEXTS_},
    {"remarks", TEXTS_},
    {"callpaths_left_out", COUNT_},
};

enum { N_MEMBERS = sizeof members / sizeof members[0] };

static void put_key(const char *key, const char *indent, FILE *out)
{
    fprintf(out, "%s\"%s\": ", indent, key);
}

/* The table of one name: an array of rows, which have all columns. */
static void put_table(const struct table_form *form, FILE *out)
{
    const struct column *columns = form->columns;
    put_key(form->key, "        ", out);
    fputs("{\n          \"description\": ", out);
    json_text(form->doc, out);
    fputs(",\n          \"type\": \"array\", \"items\": {\"type\": \"object\","
          " \"additionalProperties\": false,\n            \"required\": [",
          out);
    const char *comma = "";
    for (size_t i = 0; i < form->n_columns; i++) {
        if (columns[i].shown == TEXT_ONLY)
            continue;
        fprintf(out, "%s\"%s\"", comma, columns[i].key);
        comma = ", ";
    }
    fputs("],\n            \"properties\": {", out);
    comma = "\n";
    for (size_t i = 0; i < form->n_columns; i++) {
        if (columns[i].shown == TEXT_ONLY)
            continue;
        fputs(comma, out);
        put_key(columns[i].key, "              ", out);
        fputs(types[columns[i].unit], out);
        comma = ",\n";
    }
    fputs("}}}", out);
}

static void put_report(FILE *out)
{
    fputs("    \"report\": {\"type\": \"object\",\n      \"required\": [", out);
    for (size_t i = 0; i < N_MEMBERS; i++)
        fprintf(out, "\"%s\", ", members[i].key);
    fputs("\"sections\"],\n      \"properties\": {\n", out);
    for (size_t i = 0; i < N_MEMBERS; i++) {
        put_key(members[i].key, "      ", out);
        fprintf(out, "%s,\n", members[i].type);
    }
    fputs("      \"sections\": {\"type\": \"object\", \"properties\": {", out);
    for (size_t i = 0; i < n_sections; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_table(&sections[i]->form, out);
    }
    fputs("}}}},\n", out);
}

static void put_diff(FILE *out)
{
    fputs("    \"diff\": {\"type\": \"object\",\n"
          "      \"required\": [\"spur_report\", \"before\", \"after\", \"runs_before\","
          " \"runs_after\", \"sections\"],\n"
          "      \"properties\": {\n"
          "      \"spur_report\": {\"const\": 1},\n"
          "      \"before\": {\"type\": \"string\"},\n"
          "      \"after\": {\"type\": \"string\"},\n"
          "      \"runs_before\": " TEXTS_ ",\n"
          "      \"runs_after\": " TEXTS_ ",\n"
          "      \"sections\": {\"type\": \"object\", \"minProperties\": 1,"
          " \"additionalProperties\": false, \"properties\": {\n",
          out);
    for (size_t i = 0; i < n_diff_kinds; i++) {
        fputs(i ? ",\n" : "", out);
        put_table(&diff_kinds[i].form, out);
    }
    fputs("}}}},\n", out);
}

static void put_compared(FILE *out)
{
    fputs("    \"compared\": {\"type\": \"object\",\n"
          "      \"required\": [\"spur_report\", \"compared\", \"scaling\", \"stops\","
          " \"sections\"],\n"
          "      \"properties\": {\n"
          "      \"spur_report\": {\"const\": 1},\n"
          "      \"compared\": {\"type\": \"array\", \"items\": {\"type\": \"object\","
          " \"required\": [\"archive\", \"program\", \"ranks\", \"threads\", \"cpus\","
          " \"no_split\"],\n"
          "        \"properties\": {\"archive\": {\"type\": \"string\"},"
          " \"program\": {\"type\": \"string\"}, \"ranks\": " COUNT_ ", \"threads\": " COUNT_
          ", \"cpus\": " COUNT_ ", \"no_split\": {\"type\": [\"string\", \"null\"]}}}},\n"
          "      \"scaling\": {\"enum\": [\"strong\", \"weak\"]},\n"
          "      \"stops\": {\"type\": \"string\"},\n"
          "      \"sections\": {\"type\": \"object\", \"required\": [\"scaling\", \"growth\"],"
          " \"properties\": {\n",
          out);
    put_table(&scaling_form, out);
    fputs(",\n", out);
    put_table(&growth_form, out);
    fputs("}}}}\n", out);
}

void schema_print(FILE *out)
{
    fputs("{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
          "  \"title\": \"spur report --json, version 1\",\n"
          "  \"description\": \"Printed by spur report --schema; docs/report.md says what the"
          " members mean. null: not known, or does not apply. Other members may be added without"
          " another version.\",\n"
          "  \"if\": {\"required\": [\"before\"]},\n"
          "  \"then\": {\"$ref\": \"#/definitions/diff\"},\n"
          "  \"else\": {\"if\": {\"required\": [\"compared\"]},\n"
          "    \"then\": {\"$ref\": \"#/definitions/compared\"},\n"
          "    \"else\": {\"$ref\": \"#/definitions/report\"}},\n"
          "  \"definitions\": {\n",
          out);
    put_report(out);
    put_diff(out);
    put_compared(out);
    fputs("  }\n}\n", out);
}
