// Phoenix's error codes: the one place that knows each code's SQLSTATE and text.
// Source: phoenix-sql spec section 11.
#ifndef BENNU_SRC_SQL_TYPES_SQL_ERRORS_H_
#define BENNU_SRC_SQL_TYPES_SQL_ERRORS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/sql/types/type.h"

namespace bennu::sql {

// A refusal with Phoenix's code: "ERROR 504 (42703): Undefined column. <detail>". 'position' is a
// byte offset into the statement, -1 when unknown. An unknown code is a fault of ours (Internal).
Status MakeSqlError(int code, std::string detail, int64_t position = -1, std::string hint = "");
// A failure for which Phoenix has no code (vendor code 0).
Status MakeUncodedSqlError(std::string message, int64_t position = -1, std::string hint = "");

// The same refusal with another hint; errors of other kinds as they are.
Status WithHint(const Status& error, std::string hint);

// The same refusal with a place, where it has none of its own; errors of other kinds as they are.
Status WithPosition(const Status& error, int64_t position);

// Empty for an unknown code.
std::string_view SqlStateOf(int code);
std::string_view SqlErrorNameOf(int code);  // such as "COLUMN_NOT_FOUND"
std::string_view SqlErrorTextOf(int code);  // such as "Undefined column."

// The refusals of this folder.
Status SqlIllegalData(std::string detail);                            // 201 22000
Status SqlDivideByZero();                                             // 202 22012
Status SqlTypeMismatch(std::string detail);                           // 203 22005
Status SqlTypeMismatch(TypeId from, TypeId to, std::string_view of);  // 203 "A and B for <of>"
Status SqlDataExceedsMaxCapacity(std::string detail);                 // 206 22003
Status SqlValueOutsideRange(std::string detail);                      // 213 22003
Status SqlConstraintViolation(std::string detail);                    // 218 23018

// True for a kSql status with this code.
bool IsSqlError(const Status& status, int code);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_SQL_ERRORS_H_
