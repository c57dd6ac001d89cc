#include "src/sql/expr/function_advice.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

using Advice = std::pair<std::string_view, std::string_view>;

constexpr std::array kFunctions = {
    Advice{"CONCAT", "write a || b"},
    Advice{"CONCAT_WS", "write a || ',' || b, or ARRAY_TO_STRING(ARRAY[a, b], ',')"},
    Advice{"NVL", "write COALESCE(a, b)"},
    Advice{"IFNULL", "write COALESCE(a, b)"},
    Advice{"ISNULL", "write COALESCE(a, b), or a IS NULL"},
    Advice{"NULLIF", "write CASE WHEN a = b THEN NULL ELSE a END"},
    Advice{"DECODE", "write CASE a WHEN b THEN c ELSE d END"},
    Advice{"IIF", "write CASE WHEN condition THEN a ELSE b END"},
    Advice{"GREATEST", "write CASE WHEN a > b THEN a ELSE b END"},
    Advice{"LEAST", "write CASE WHEN a < b THEN a ELSE b END"},
    Advice{"MOD", "write a % b"},
    Advice{"POW", "write POWER(a, b)"},
    Advice{"CEILING", "write CEIL(a)"},
    Advice{"TRUNCATE", "write FLOOR(a), or ROUND(a, digits)"},
    Advice{"RANDOM", "write RAND()"},
    Advice{"LEN", "write LENGTH(text)"},
    Advice{"CHAR_LENGTH", "write LENGTH(text)"},
    Advice{"CHARACTER_LENGTH", "write LENGTH(text)"},
    Advice{"SUBSTRING", "write SUBSTR(text, start, count)"},
    Advice{"MID", "write SUBSTR(text, start, count)"},
    Advice{"UCASE", "write UPPER(text)"},
    Advice{"LCASE", "write LOWER(text)"},
    Advice{"POSITION", "write INSTR(text, part)"},
    Advice{"STRPOS", "write INSTR(text, part)"},
    Advice{"LOCATE", "write INSTR(text, part)"},
    Advice{"CHARINDEX", "write INSTR(text, part)"},
    Advice{"REGEXP_LIKE", "write REGEXP_SUBSTR(text, pattern) IS NOT NULL"},
    Advice{"SPLIT_PART", "write REGEXP_SPLIT(text, pattern)[n]"},
    Advice{"STRING_AGG", "no aggregate joins texts; ARRAY_TO_STRING joins those of an array"},
    Advice{"GROUP_CONCAT", "no aggregate joins texts; ARRAY_TO_STRING joins those of an array"},
    Advice{"LISTAGG", "no aggregate joins texts; ARRAY_TO_STRING joins those of an array"},
    Advice{"GETDATE", "write NOW(), CURRENT_DATE() or CURRENT_TIME()"},
    Advice{"SYSDATE", "write NOW(), CURRENT_DATE() or CURRENT_TIME()"},
    Advice{"CURRENT_TIMESTAMP", "write NOW(), CURRENT_DATE() or CURRENT_TIME()"},
    Advice{"CURDATE", "write CURRENT_DATE()"},
    Advice{"CURTIME", "write CURRENT_TIME()"},
    Advice{"DATE_TRUNC", "write TRUNC(d, 'DAY')"},
    Advice{"DATE_FORMAT", "write TO_CHAR(d, 'yyyy-MM-dd')"},
    Advice{"STRFTIME", "write TO_CHAR(d, 'yyyy-MM-dd')"},
    Advice{"STR_TO_DATE", "write TO_DATE(text, 'yyyy-MM-dd')"},
    Advice{"DATE_PART", "write YEAR(d), MONTH(d), DAYOFMONTH(d), HOUR(d), MINUTE(d) or SECOND(d)"},
    Advice{"DAY", "write DAYOFMONTH(d)"},
    Advice{"DATE_ADD", "write d + days, as in d + 1.5"},
    Advice{"DATEADD", "write d + days, as in d + 1.5"},
    Advice{"DATE_SUB", "write d - days, as in d - 1.5"},
    Advice{"DATEDIFF", "write d1 - d2, which counts days"},
    Advice{"EPOCH", "write CAST(d AS BIGINT), which counts milliseconds since 1970"},
    Advice{"TO_INT", "write CAST(a AS INTEGER), or TO_NUMBER(text)"},
    Advice{"CONVERT", "write CAST(a AS type)"},
    Advice{"APPROX_DISTINCT", "write APPROX_COUNT_DISTINCT(a)"},
    Advice{"VARIANCE", "write POWER(STDDEV_SAMP(a), 2)"},
    Advice{"STDDEV", "write STDDEV_SAMP(a) or STDDEV_POP(a)"},
    Advice{"MEDIAN", "write PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a ASC)"},
    Advice{"ROW_NUMBER", "there are no window functions"},
    Advice{"RANK", "there are no window functions"},
    Advice{"UUID", "use a sequence: CREATE SEQUENCE s, then NEXT VALUE FOR s"},
    Advice{"GEN_RANDOM_UUID", "use a sequence: CREATE SEQUENCE s, then NEXT VALUE FOR s"},
    Advice{"NEXTVAL", "write NEXT VALUE FOR s"},
    Advice{"CURRVAL", "write CURRENT VALUE FOR s"},
    Advice{"LASTVAL", "write CURRENT VALUE FOR s"},
    Advice{"JSON_EXTRACT", "write JSON_VALUE(j, '$.path') or JSON_QUERY(j, '$.path')"},
};
constexpr std::array kBare = {
    Advice{"CURRENT_DATE", "it is a function: CURRENT_DATE()"},
    Advice{"CURRENT_TIME", "it is a function: CURRENT_TIME()"},
    Advice{"CURRENT_TIMESTAMP", "write NOW(), CURRENT_DATE() or CURRENT_TIME()"},
    Advice{"NOW", "it is a function: NOW()"},
    Advice{"LOCALTIMESTAMP", "write NOW(), CURRENT_DATE() or CURRENT_TIME()"},
    Advice{"SYSDATE", "write NOW(), CURRENT_DATE() or CURRENT_TIME()"},
    Advice{"ROWNUM", "write LIMIT at the query's end"},
    Advice{"ROWID", "write ROWKEY_BYTES_STRING()"},
};

template <typename List>
std::string Find(const List& advices, std::string_view name) {
  for (const auto& [known, advice] : advices) {
    if (known == name) return std::string(advice);
  }
  return "";
}

}  // namespace

std::string FunctionAdvice(std::string_view name) { return Find(kFunctions, name); }
std::string BareFunctionAdvice(std::string_view name) { return Find(kBare, name); }

Status UndefinedFunction(std::string_view name, int64_t position) {
  return MakeSqlError(6001, fmt::format("functionName=[{}]", name), position, FunctionAdvice(name));
}

}  // namespace bennu::sql
