// PrometheusWriter: metrics in the text format of Prometheus, version 0.0.4.
// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
#ifndef BENNU_SRC_SERVER_STATUS_PROMETHEUS_WRITER_H_
#define BENNU_SRC_SERVER_STATUS_PROMETHEUS_WRITER_H_

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/server/hbase/histogram.h"

namespace bennu::server::status {

inline constexpr double kMicrosPerSecond = 1e6;
// In microseconds.
inline constexpr std::array<uint64_t, 12> kTimeBounds = {
    100, 250, 500, 1000, 2500, 5000, 10'000, 50'000, 100'000, 500'000, 1'000'000, 10'000'000};

// One thread at a time.
class PrometheusWriter {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

  void Begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    Add("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  template <typename Number>
  void Value(Number value, const Labels& labels = {}) {
    Line("", labels, value);
  }
  // One metric without labels.
  template <typename Number>
  void One(std::string_view name, std::string_view type, std::string_view help, Number value) {
    Begin(name, type, help);
    Value(value);
  }
  // Values are divided by 'unit'.
  template <size_t N>
  void Histogram(const hbase::HistogramCounts& counts, const std::array<uint64_t, N>& bounds,
                 double unit, const Labels& labels = {}) {
    for (const uint64_t bound : bounds) {
      Labels with = labels;
      const std::string text = fmt::format("{}", static_cast<double>(bound) / unit);
      with.emplace_back("le", text);
      Line("_bucket", with, counts.CountBelow(bound));
    }
    Labels all = labels;
    all.emplace_back("le", "+Inf");
    Line("_bucket", all, counts.count);
    Line("_sum", labels, static_cast<double>(counts.sum) / unit);
    Line("_count", labels, counts.count);
  }
  std::string Take() { return std::move(text_); }

 private:
  template <typename... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  template <typename Number>
  void Line(std::string_view suffix, const Labels& labels, Number value) {
    text_.append(name_).append(suffix);
    if (!labels.empty()) {
      char before = '{';
      for (const auto& [name, label] : labels) {
        text_.push_back(before);
        before = ',';
        text_.append(name).append("=\"");
        for (const char c : label) {
          if (c == '\n') {
            text_.append("\\n");
            continue;
          }
          if (c == '"' || c == '\\') text_.push_back('\\');
          text_.push_back(c);
        }
        text_.push_back('"');
      }
      text_.push_back('}');
    }
    Add(" {}\n", value);
  }

  std::string_view name_;
  std::string text_;
};

}  // namespace bennu::server::status

#endif  // BENNU_SRC_SERVER_STATUS_PROMETHEUS_WRITER_H_
