#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

// Orders, customers, items: every join and subquery over three tables whose columns go together.
class JoinTheme {
 public:
  explicit JoinTheme(ThemeText* text) : text_(*text) {}

  void Make() {
    orders_ = text_.Name("O");
    customers_ = text_.Name("C");
    items_ = text_.Name("I");
    text_.Statement(
        fmt::format("CREATE TABLE {} (ID INTEGER NOT NULL, CID VARCHAR, IID INTEGER, N INTEGER, "
                    "AT DATE, CONSTRAINT PK PRIMARY KEY (ID{})){}",
                    orders_, text_.Percent(30) ? " DESC" : "", Options()));
    text_.Statement(
        fmt::format("CREATE TABLE {} (CID VARCHAR NOT NULL, NAME VARCHAR, CITY VARCHAR, "
                    "CONSTRAINT PK PRIMARY KEY (CID)){}",
                    customers_, Options()));
    text_.Statement(
        fmt::format("CREATE TABLE {} (IID INTEGER NOT NULL, SUB INTEGER NOT NULL, PRICE "
                    "DECIMAL(8,2), NAME VARCHAR, CONSTRAINT PK PRIMARY KEY (IID, SUB)){}",
                    items_, Options()));
    Fill();
    for (int i = 0; i < 30; ++i) Ask();
  }

 private:
  std::string Options() {
    return text_.Pick({"", "", " SALT_BUCKETS=3", " COLUMN_ENCODED_BYTES=NONE"});
  }
  std::string Customer() { return text_.Pick({"'a'", "'b'", "'c'", "'d'"}); }
  std::string Number() { return std::to_string(text_.Between(1, 5)); }

  void Fill() {
    for (int i = 1; i < 11; ++i) {
      text_.Statement(fmt::format("UPSERT INTO {} VALUES ({}, {}, {}, {}, {})", orders_, i,
                                  text_.Percent(15) ? "NULL" : Customer(),
                                  text_.Percent(15) ? "NULL" : Number(),
                                  text_.Pick({"1", "2", "3", "NULL"}),
                                  text_.Pick({"DATE '2020-01-01'", "DATE '2021-05-05'", "NULL"})));
    }
    for (int i = 0; i < 4; ++i) {
      text_.Statement(fmt::format("UPSERT INTO {} VALUES ({}, {}, {})", customers_, Customer(),
                                  text_.Pick({"'Ann'", "'Bob'", "'Cy'"}),
                                  text_.Pick({"'X'", "'Y'", "NULL"})));
    }
    for (int i = 0; i < 7; ++i) {
      text_.Statement(fmt::format("UPSERT INTO {} VALUES ({}, {}, {}, {})", items_, Number(),
                                  text_.Between(1, 2), text_.Pick({"1.50", "2", "10.25", "NULL"}),
                                  text_.Pick({"'pen'", "'ink'", "'Ann'", "NULL"})));
    }
  }

  std::string Kind() {
    return text_.Pick(
        {"JOIN", "LEFT JOIN", "JOIN", "RIGHT JOIN", "LEFT OUTER JOIN", "INNER JOIN", "FULL JOIN"});
  }
  std::string Hint() {
    return text_.Pick({"", "", "", "/*+ USE_SORT_MERGE_JOIN */ ", "/*+ NO_STAR_JOIN */ ",
                       "/*+ NO_CHILD_PARENT_JOIN_OPTIMIZATION */ "});
  }

  std::string Condition(const std::string& o) {
    switch (text_.choices()->Below(7)) {
      case 0: return o + ".N > 1";
      case 1: return o + ".CID = " + Customer();
      case 2: return o + ".ID BETWEEN 2 AND 7";
      case 3: return o + ".AT IS NOT NULL";
      case 4: return o + ".IID IN (" + Number() + ", " + Number() + ")";
      case 5: return "(" + o + ".N = 2 OR " + o + ".ID = 3)";
      default: return o + ".AT < DATE '2021-01-01'";
    }
  }

  // A subquery's condition upon the order O of the query around it.
  std::string Subquery() {
    const std::string in = text_.Percent(35) ? "NOT IN" : "IN";
    const std::string exists = text_.Percent(35) ? "NOT EXISTS" : "EXISTS";
    const std::string op = text_.Pick({"=", "<", ">", "<=", ">=", "<>"});
    switch (text_.choices()->Below(14)) {
      case 0: return fmt::format("O.CID {} (SELECT CID FROM {} WHERE CITY = 'X')", in, customers_);
      case 1:
        return fmt::format("{} (SELECT 1 FROM {} I WHERE I.IID = O.IID AND I.PRICE > 1)", exists,
                           items_);
      case 2:
        return fmt::format("O.N {} (SELECT MAX(SUB) FROM {} I WHERE I.IID = O.IID)", op, items_);
      case 3: return fmt::format("O.N {} (SELECT AVG(N) FROM {})", op, orders_);
      case 4: return fmt::format("O.IID {} ANY (SELECT IID FROM {} WHERE PRICE > 1)", op, items_);
      case 5: return fmt::format("O.IID {} ALL (SELECT IID FROM {} WHERE SUB = 1)", op, items_);
      case 6:
        return fmt::format("O.CID {} (SELECT CID FROM {} WHERE NAME IN (SELECT NAME FROM {}))", in,
                           customers_, items_);
      case 7: return fmt::format("(O.IID, O.N) {} (SELECT IID, SUB FROM {})", in, items_);
      case 8: return fmt::format("O.N = (SELECT COUNT(*) FROM {} P WHERE P.CID = O.CID)", orders_);
      case 9: return fmt::format("O.ID {} (SELECT MIN(ID) FROM {} GROUP BY CID)", in, orders_);
      case 10:
        return fmt::format("{} (SELECT 1 FROM {} C WHERE C.CID = O.CID AND C.CITY = 'Y')", exists,
                           customers_);
      case 11:
        return fmt::format("O.ID {} (SELECT P.ID FROM {} P JOIN {} I ON P.IID = I.IID)", in,
                           orders_, items_);
      case 12:
        return fmt::format("O.N {} ANY (SELECT I.SUB FROM {} I WHERE I.IID = O.IID)", op, items_);
      default:
        return fmt::format("O.CID {} (SELECT DISTINCT CID FROM {} ORDER BY CID LIMIT 2)", in,
                           customers_);
    }
  }

  void AskMany() {
    std::string text =
        fmt::format("SELECT {}{} FROM {} O {} {} C ON O.CID = C.CID {} {} I ON {}", Hint(),
                    text_.Percent(40) ? "*" : "O.ID, C.NAME, I.NAME, I.PRICE", orders_, Kind(),
                    customers_, Kind(), items_,
                    text_.Pick({"O.IID = I.IID", "O.IID = I.IID AND O.N = I.SUB", "C.NAME = I.NAME",
                                "O.IID = I.IID AND C.NAME = I.NAME"}));
    if (text_.Percent(50)) text += " WHERE " + Condition("O");
    text_.Query(text, false);
  }

  void AskTwo() {
    std::string on = "O.IID = I.IID";
    if (text_.Percent(30))
      on += text_.Pick({" AND I.PRICE > 1", " AND O.N > 1", " AND O.N = I.SUB"});
    std::string where = text_.Percent(50) ? " WHERE " + Condition("O") : "";
    if (text_.Percent(20))
      where = text_.Pick({" WHERE I.IID IS NULL", " WHERE I.PRICE > O.N", " WHERE I.SUB = 1"});
    const std::string from =
        fmt::format("{} O {} {} I ON {}{}", orders_, Kind(), items_, on, where);
    switch (text_.choices()->Below(4)) {
      case 0:
        text_.Query("SELECT " + Hint() + "COUNT(*), SUM(O.N), MAX(I.PRICE) FROM " + from, true);
        break;
      case 1:
        text_.Query(
            "SELECT " + Hint() + "O.CID, COUNT(*), SUM(I.PRICE) FROM " + from + " GROUP BY O.CID",
            false);
        break;
      case 2:
        text_.Query("SELECT " + Hint() + "O.ID, I.SUB, I.NAME FROM " + from +
                        " ORDER BY O.ID, I.SUB, I.NAME LIMIT 5",
                    true);
        break;
      default: text_.Query("SELECT " + Hint() + "* FROM " + from, false);
    }
  }

  void AskDerived() {
    const std::string sums =
        fmt::format("(SELECT CID, COUNT(*) AS N, MAX(IID) AS M FROM {} GROUP BY CID) Q", orders_);
    const std::string firsts = fmt::format("(SELECT IID, MIN(PRICE) AS P FROM {} GROUP BY IID{}) Q",
                                           items_, text_.Percent(50) ? " HAVING COUNT(*) > 1" : "");
    switch (text_.choices()->Below(4)) {
      case 0:
        text_.Query(fmt::format("SELECT C.NAME, Q.N, Q.M FROM {} C {} {} ON C.CID = Q.CID",
                                customers_, Kind(), sums),
                    false);
        break;
      case 1:
        text_.Query(
            fmt::format("SELECT O.ID, Q.P FROM {} O {} {} ON O.IID = Q.IID{}", orders_, Kind(),
                        firsts, text_.Percent(50) ? " WHERE " + Condition("O") : ""),
            false);
        break;
      case 2: text_.Query("SELECT * FROM " + sums + " WHERE N > 1", false); break;
      default:
        text_.Query(fmt::format("SELECT Q.ID, C.CITY FROM (SELECT ID, CID FROM {} ORDER BY ID "
                                "LIMIT 4) Q {} {} C ON "
                                "Q.CID = C.CID",
                                orders_, Kind(), customers_),
                    false);
    }
  }

  void AskUnion() {
    const std::string parts = fmt::format(
        "SELECT CID AS X, N AS Y FROM {} UNION ALL SELECT NAME, SUB FROM {}{}", orders_, items_,
        text_.Percent(50) ? fmt::format(" UNION ALL SELECT CITY, NULL FROM {}", customers_) : "");
    switch (text_.choices()->Below(4)) {
      case 0: text_.Query(parts, false); break;
      case 1: text_.Query(parts + " ORDER BY X, Y LIMIT 6", true); break;
      case 2:
        text_.Query("SELECT X, COUNT(*), SUM(Y) FROM (" + parts + ") U GROUP BY X", false);
        break;
      default: text_.Query("SELECT COUNT(*) FROM (" + parts + ") U WHERE Y > 1", true);
    }
  }

  void Ask() {
    switch (text_.choices()->Below(9)) {
      case 0: AskMany(); break;
      case 1:
      case 2: AskTwo(); break;
      case 3: AskDerived(); break;
      case 4: AskUnion(); break;
      case 5:
        text_.Query(fmt::format("SELECT O.ID, I.NAME FROM {} O {} {} I ON O.IID = I.IID WHERE {}",
                                orders_, Kind(), items_, Subquery()),
                    false);
        break;
      default:
        text_.Query(
            fmt::format("SELECT {} FROM {} O WHERE {}{}",
                        text_.Percent(80) ? "O.ID, O.CID" : "COUNT(*)", orders_, Subquery(),
                        text_.Percent(25) ? text_.Pick({" AND ", " OR "}) + Condition("O") : ""),
            false);
    }
  }

  ThemeText& text_;
  std::string orders_;
  std::string customers_;
  std::string items_;
};

}  // namespace

void MakeJoins(ThemeText* text) { JoinTheme(text).Make(); }

}  // namespace bennu::sql::testing
