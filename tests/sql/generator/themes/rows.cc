#include "tests/sql/generator/model.h"
#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

// Row values over keys of three or four columns of any kinds, also in an order that is not the
// key's.
class RowTheme {
 public:
  explicit RowTheme(ThemeText* text) : text_(*text) {}

  void Make() {
    do {
      model_ = MakeTable(text_.choices(), {.wide = false, .encoded_binary = false});
    } while (model_.key_count < 3);
    const Layout layout = MakeLayout(model_, text_.choices());
    table_ = text_.Name("X");
    ordered_ = layout.options.find("SALT") == std::string::npos;
    text_.Statement(CreateTable(table_, model_, layout));
    for (size_t i = 0, rows = 12 + text_.choices()->Below(10); i < rows; ++i) Upsert();
    text_.Query("SELECT * FROM " + table_, ordered_);
    for (int i = 0; i < 30; ++i) Ask();
  }

 private:
  const Column& KeyColumn(size_t i) const { return model_.columns[i]; }

  void Upsert() {
    std::string values;
    std::string names;
    for (const Column& column : model_.columns) {
      std::string value = ValueFor(column, text_.choices());
      const bool padded = column.kind == Kind::kChar || column.kind == Kind::kBinary;
      if (value == "NULL" && padded) value = Literal(column.kind, text_.choices(), true);
      names += (names.empty() ? "" : ", ") + column.name;
      values += (values.empty() ? "" : ", ") + value;
    }
    text_.Statement("UPSERT INTO " + table_ + " (" + names + ") VALUES (" + values + ")");
  }

  std::string Value(const Column& column) { return Literal(column.kind, text_.choices(), false); }

  std::vector<const Column*> Chosen() {
    std::vector<const Column*> columns;
    if (text_.Percent(70)) {
      const size_t first = text_.Percent(75) ? 0 : 1;
      const size_t count = 2 + text_.choices()->Below(model_.key_count - 1);
      for (size_t i = first; i < model_.key_count && columns.size() < count; ++i) {
        columns.push_back(&KeyColumn(i));
      }
    } else {
      for (size_t i = 0; i < 2 + text_.choices()->Below(2); ++i) {
        columns.push_back(&model_.columns[text_.choices()->Below(model_.columns.size())]);
      }
    }
    return columns;
  }

  template <typename F>
  static std::string List(const std::vector<const Column*>& columns, F make) {
    std::string text = "(";
    for (const Column* column : columns) text += (text.size() > 1 ? ", " : "") + make(*column);
    return text + ")";
  }

  std::string Row() {
    const std::vector<const Column*> columns = Chosen();
    const std::string names = List(columns, [](const Column& column) { return column.name; });
    const auto values = [&] { return List(columns, [&](const Column& c) { return Value(c); }); };
    if (text_.Percent(35)) {
      return names + (text_.Percent(15) ? " NOT IN (" : " IN (") +
             text_.Several(1, 4, ", ", values) + ")";
    }
    if (text_.Percent(10)) return names + " BETWEEN " + values() + " AND " + values();
    if (text_.Percent(15)) return values() + text_.Pick({" < ", " <= ", " = ", " > "}) + names;
    return names + text_.Pick({" < ", " <= ", " > ", " >= ", " = ", " <> "}) + values();
  }

  std::string Simple() {
    const Column& column = KeyColumn(text_.choices()->Below(model_.key_count));
    return column.name + text_.Pick({" = ", " > ", " <= ", " = "}) + Value(column);
  }

  std::string Keys(bool descending) {
    std::string text;
    for (size_t i = 0; i < model_.key_count; ++i) {
      text += (i > 0 ? ", " : "") + KeyColumn(i).name + (descending ? " DESC" : "");
    }
    return text;
  }

  void Ask() {
    std::string where = " WHERE " + Row();
    if (text_.Percent(45))
      where += text_.Pick({" AND ", " AND ", " OR "}) + (text_.Percent(60) ? Simple() : Row());
    switch (text_.choices()->Below(7)) {
      case 0: text_.Query("SELECT COUNT(*) FROM " + table_ + where, true); break;
      case 1:
        text_.Query("SELECT * FROM " + table_ + where + " ORDER BY " + Keys(text_.Percent(40)) +
                        " LIMIT " + text_.Pick({"1", "2", "5"}),
                    true);
        break;
      case 2: {
        std::vector<const Column*> columns;
        for (size_t i = 0; i < model_.key_count; ++i) columns.push_back(&KeyColumn(i));
        text_.Query("SELECT * FROM " + table_ + (text_.Percent(30) ? " WHERE " + Simple() : "") +
                        (text_.Percent(50) ? " LIMIT 4" : "") + " OFFSET " +
                        List(columns, [](const Column& c) { return c.name; }) + " = " +
                        List(columns, [&](const Column& c) { return Value(c); }),
                    ordered_);
        break;
      }
      case 3:
        text_.Query("SELECT " + KeyColumn(0).name + ", COUNT(*) FROM " + table_ + where +
                        " GROUP BY " + KeyColumn(0).name,
                    false);
        break;
      default: text_.Query("SELECT * FROM " + table_ + where, ordered_);
    }
  }

  ThemeText& text_;
  TableModel model_;
  std::string table_;
  bool ordered_ = true;
};

}  // namespace

void MakeRows(ThemeText* text) { RowTheme(text).Make(); }

}  // namespace bennu::sql::testing
