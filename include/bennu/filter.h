// Filters decide which rows and cells of a scan the store hands out. They run where the cells are
// stored.
//
// The contract is HBase's (org.apache.hadoop.hbase.filter.Filter, hbase-rpc spec section 6). For
// each row of a region, in scan order, the scanner calls
//   1. FilterAllRemaining: true ends the region's scan;
//   2. FilterRowKey with the row: true leaves the row out;
//   3. per family and cell FilterCell, then TransformCell for cells that are included;
//   4. when HasFilterRow: FilterRowCells with all that was included; then FilterRow: true leaves
//      the row out;
//   5. Reset.
// A filter sees a cell only after deletes, time range, columns and the family's VERSIONS are
// checked; the scan's own, smaller number of versions counts what the filter included. Each region
// starts with a fresh filter, so a PageFilter counts per region.
//
// Filters keep state: one thread at a time, and a scan works on clones. The cells that they are
// handed are valid during the call. A filter that meets bytes it cannot judge remembers an error,
// and the scan fails with it (error()).
#ifndef BENNU_FILTER_H_
#define BENNU_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/scan.h"
#include "bennu/status.h"

namespace bennu {

// "cell OP given value". kNoOp passes nothing. Numbers are those of hbase.pb.CompareType.
enum class CompareOp : uint8_t {
  kLess = 0,
  kLessOrEqual = 1,
  kEqual = 2,
  kNotEqual = 3,
  kGreaterOrEqual = 4,
  kGreater = 5,
  kNoOp = 6,
};

// Compares bytes of cells with a value of its own (HBase: ByteArrayComparable). One thread at a
// time.
class ByteComparator {
 public:
  virtual ~ByteComparator() = default;
  // The sign of (own value - 'bytes'). Sets *error, which is OK before, when 'bytes' cannot be
  // compared; the result then means nothing.
  virtual int Compare(ByteView bytes, Status* error) = 0;
  virtual std::unique_ptr<ByteComparator> Clone() const = 0;
  // The Java class's full name, and the bytes of its protobuf message.
  virtual Bytes class_name() const = 0;
  virtual Bytes Encode() const = 0;
};

using ComparatorPtr = std::unique_ptr<ByteComparator>;

// Memory for what TransformCell makes; lasts as long as the cells that are handed out.
class FilterMemory {
 public:
  virtual char* Allocate(size_t size) = 0;

 protected:
  ~FilterMemory() = default;
};

// Decides which rows and cells of a scan the store hands out. The comment at the top of this file
// says in which order a scanner calls the methods.
class Filter {
 public:
  enum class Code : uint8_t {
    kInclude,
    kIncludeAndNextColumn,   // and none of the column's older versions
    kSkip,                   // this cell
    kNextColumn,             // nor the column's older versions
    kNextRow,                // nothing more of this row in this family
    kSeekUsingHint,          // go on where NextCellHint says
    kIncludeAndSeekNextRow,  // and nothing more of this row in this family
  };

  virtual ~Filter() = default;
  // The same filter as it was before any row.
  virtual std::unique_ptr<Filter> Clone() const = 0;
  // Rows will come from the last to the first. To be called before any row.
  virtual void SetReversed(bool reversed) { reversed_ = reversed; }
  bool reversed() const { return reversed_; }

  virtual void Reset() {}
  virtual bool FilterAllRemaining() { return false; }
  virtual bool FilterRowKey(ByteView row);
  virtual Code FilterCell(const Cell& cell) = 0;
  virtual void TransformCell(Cell* cell, FilterMemory* memory);
  // After kSeekUsingHint: replaces *flat_key by the search key to go on at; false when there is
  // none. A key that does not lie ahead of 'current' is taken for kSkip.
  virtual bool NextCellHint(const Cell& current, Bytes* flat_key);
  virtual void FilterRowCells(std::vector<Cell>* cells);
  // Needs whole rows: FilterRowCells or FilterRow decide (not to be mixed with a scan's batch).
  virtual bool HasFilterRow() const { return false; }
  virtual bool FilterRow() { return false; }
  // Families that are not essential are read only for rows that passed the filter.
  virtual bool IsFamilyEssential(ByteView family) const;

  // Gives hints and keeps no state from cell to cell, so that a list asks it even when another
  // filter has refused the cell (HBase: HintingFilter).
  virtual bool GivesHints() const { return false; }
  // For rows that FilterRowKey refuses, FilterCell would change nothing and give no hint: the
  // scanner need not read such rows.
  virtual bool DecidesByRowKey() const { return false; }
  // FilterCell and its hint depend on the cell's row alone: the scanner may ask once for a row,
  // with any key of it, also when no cell of the row is visible.
  virtual bool LooksAtRowsOnly() const { return false; }

  // The first thing that went wrong, or null.
  virtual const Status* error() const { return error_.ok() ? nullptr : &error_; }

  // The Java class's full name, and the bytes of its protobuf message.
  virtual Bytes class_name() const = 0;
  virtual Bytes Encode() const = 0;

 protected:
  void Fail(Status error) {
    if (error_.ok()) error_ = std::move(error);
  }
  bool reversed_ = false;
  Status error_;
};

using FilterPtr = std::unique_ptr<Filter>;

// ---- to and from bytes and text

// hbase.pb.Filter, as it crosses the wire.
Bytes EncodeFilter(const Filter& filter);
// InvalidArgument: not such a message, an unknown class, or values that the class refuses.
Result<FilterPtr> DecodeFilter(ByteView bytes);
Bytes EncodeComparator(const ByteComparator& comparator);
Result<ComparatorPtr> DecodeComparator(ByteView bytes);

// HBase's filter language, as its shell takes it: "PrefixFilter ('a') AND (KeyOnlyFilter () OR
// SKIP ValueFilter (=, 'binary:0'))". Source: the reference guide's chapter on it and ParseFilter.
Result<FilterPtr> ParseFilter(ByteView text);

// ---- comparators

ComparatorPtr NewBinaryComparator(Bytes value);
ComparatorPtr NewBinaryPrefixComparator(Bytes value);  // the first bytes, as many as 'value' has
// 'value' against the bytes from 'offset' on. Values that are too short are an error.
ComparatorPtr NewBinaryComponentComparator(Bytes value, int32_t offset);
ComparatorPtr NewLongComparator(int64_t value);         // 8 bytes, big-endian; others are an error
ComparatorPtr NewBigDecimalComparator(Bytes encoded);   // Bytes.toBytes(BigDecimal), on both sides
ComparatorPtr NewNullComparator();                      // no cell's bytes are null
ComparatorPtr NewSubstringComparator(ByteView substr);  // UTF-8, case ignored; kEqual and kNotEqual
enum class BitwiseOp : uint8_t { kAnd = 1, kOr = 2, kXor = 3 };
// Equal when the operation leaves a bit; values of another length are not.
ComparatorPtr NewBitComparator(Bytes value, BitwiseOp op);
// java.util.regex.Pattern flags.
inline constexpr int32_t kRegexCaseInsensitive = 2;
inline constexpr int32_t kRegexMultiline = 8;
inline constexpr int32_t kRegexDotAll = 32;
// How NewRegexComparator reads its pattern.
struct RegexOptions {
  int32_t flags = kRegexDotAll;
  Bytes charset = "UTF-8";  // also ISO-8859-1 and US-ASCII
  bool joni = false;        // HBase's other engine, with its fault: finds what values begin with
};
// Equal when the pattern is found anywhere. InvalidArgument: not a pattern, or an unknown charset.
Result<ComparatorPtr> NewRegexComparator(Bytes pattern, const RegexOptions& options = {});

// ---- rows

FilterPtr NewRowFilter(CompareOp op, ComparatorPtr comparator);
FilterPtr NewPrefixFilter(Bytes prefix);
FilterPtr NewInclusiveStopFilter(Bytes stop_row);
FilterPtr NewPageFilter(int64_t page_size);
FilterPtr NewRandomRowFilter(float chance);
FilterPtr NewFilterAllFilter();
// Rows that have the fixed bytes of a pattern, which may be shorter than the row; the scan jumps
// from match to match.
struct FuzzyKey {
  Bytes key;
  Bytes mask;  // as long as 'key': 0 for a byte that must be the same, 1 for one that may differ
};
Result<FilterPtr> NewFuzzyRowFilter(const std::vector<FuzzyKey>& keys);
// Empty bounds are open. Ranges may overlap and need no order.
Result<FilterPtr> NewMultiRowRangeFilter(std::vector<RowRange> ranges);

// ---- columns

FilterPtr NewFamilyFilter(CompareOp op, ComparatorPtr comparator);
FilterPtr NewQualifierFilter(CompareOp op, ComparatorPtr comparator);
FilterPtr NewColumnPrefixFilter(Bytes prefix);
Result<FilterPtr> NewMultipleColumnPrefixFilter(std::vector<Bytes> prefixes);
// One end of a range of columns.
struct ColumnBound {
  Bytes qualifier;
  bool inclusive = false;
  bool open = false;  // no bound
};
FilterPtr NewColumnRangeFilter(ColumnBound min, ColumnBound max);
Result<FilterPtr> NewColumnPaginationFilter(int32_t limit, int32_t offset);
Result<FilterPtr> NewColumnPaginationFilter(int32_t limit, Bytes first_column);
Result<FilterPtr> NewColumnCountGetFilter(int32_t limit);
FilterPtr NewFirstKeyOnlyFilter();
FilterPtr NewFirstKeyValueMatchingQualifiersFilter(std::vector<Bytes> qualifiers);
// Replaces each value by an empty one, or by its length as four bytes.
FilterPtr NewKeyOnlyFilter(bool length_as_value);
// 'can_hint': jump to the next timestamp; this may step over delete markers.
Result<FilterPtr> NewTimestampsFilter(std::vector<int64_t> timestamps, bool can_hint = false);

// ---- values

FilterPtr NewValueFilter(CompareOp op, ComparatorPtr comparator);
// What NewSingleColumnValueFilter and NewSingleColumnValueExcludeFilter ask of a row.
struct ColumnTest {
  Bytes family;
  Bytes qualifier;
  CompareOp op = CompareOp::kEqual;
  ComparatorPtr comparator;
  bool filter_if_missing = false;
  bool latest_version_only = true;
};
// Rows by the value of one column, which the scan must read; the second leaves the column out.
FilterPtr NewSingleColumnValueFilter(ColumnTest test);
FilterPtr NewSingleColumnValueExcludeFilter(ColumnTest test);
// The cells of one column that pass, and nothing else.
FilterPtr NewColumnValueFilter(Bytes family, Bytes qualifier, CompareOp op,
                               ComparatorPtr comparator);
// Cells with a timestamp that a cell of this column has in the same row. 'comparator' may be null.
FilterPtr NewDependentColumnFilter(Bytes family, Bytes qualifier, bool drop_column,
                                   CompareOp op = CompareOp::kNoOp,
                                   ComparatorPtr comparator = nullptr);

// ---- filters made of filters

enum class FilterListOp : uint8_t { kMustPassAll = 1, kMustPassOne = 2 };
FilterPtr NewFilterList(FilterListOp op, std::vector<FilterPtr> filters);
FilterPtr NewSkipFilter(FilterPtr filter);        // leaves out rows with a refused cell
FilterPtr NewWhileMatchFilter(FilterPtr filter);  // ends the region's scan at the first refusal

}  // namespace bennu

#endif  // BENNU_FILTER_H_
