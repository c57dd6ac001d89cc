// Numbers as people read them. Units stand behind a narrow blank; columns of numbers line up by
// tabular digits, which the style sheet sets.

const blank = "\u202f";

export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return digits(value, unit === 0 ? 0 : undefined) + blank + units[unit];
}

// Three digits that count: 1,234; 12.3; 1.23; 0.012.
function digits(value: number, places?: number): string {
  const size = Math.abs(value);
  const shown = places ?? (size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
  return value.toLocaleString("en", { minimumFractionDigits: shown, maximumFractionDigits: shown });
}

export function count(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 0 });
}

// 950; 12.3k; 4.56M
export function short(value: number): string {
  const units = ["", "k", "M", "G"];
  let unit = 0;
  while (Math.abs(value) >= 1000 && unit < units.length - 1) {
    value /= 1000;
    ++unit;
  }
  return (unit === 0 && Number.isInteger(value) ? String(value) : digits(value)) + units[unit];
}

export function rate(value: number): string {
  return short(value) + "/s";
}

export function millis(value: number): string {
  if (value < 0.001) return "0" + blank + "ms";
  if (value < 1) return digits(value * 1000) + blank + "µs";
  if (value < 1000) return digits(value) + blank + "ms";
  if (value < 60_000) return digits(value / 1000) + blank + "s";
  return duration(value);
}

// 2 d 3 h; 4 min 5 s
export function duration(value: number): string {
  const seconds = Math.floor(value / 1000);
  const parts: [number, string][] = [[Math.floor(seconds / 86400), "d"], [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"], [seconds % 60, "s"]];
  const first = parts.findIndex(([number]) => number > 0);
  if (first < 0) return "0" + blank + "s";
  return parts.slice(first, first + 2).filter(([number], i) => i === 0 || number > 0)
      .map(([number, unit]) => number + blank + unit).join(" ");
}

export function moment(value: number): string {
  return value <= 0 ? "–" : new Date(value).toLocaleString("sv");
}

export function percent(part: number, all: number): string {
  return all === 0 ? "–" : digits((100 * part) / all, 1) + blank + "%";
}
