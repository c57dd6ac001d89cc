// What the page remembers of the metrics: one point for each second, as rates since the point before.
import { get, type Histogram, type Metrics } from "./api";

export interface Point {
  time: number; // seconds since 1970
  calls: number; statements: number; reads: number; writes: number; failures: number;
  sqlRead: number; sqlReturned: number; // rows
  callTimes: Percentiles; statementTimes: Percentiles;
  bytesIn: number; bytesOut: number; hits: number; misses: number;
  cacheBytes: number; memstoreBytes: number; residentBytes: number;
}
// Milliseconds; null where nothing was called.
export interface Percentiles { p50: number | null; p95: number | null; p99: number | null }

// Both are counts since the server's start.
export function between(before: Histogram, after: Histogram): [number, number][] {
  const old = new Map(before.buckets);
  return after.buckets.map(([end, count]) => [end, count - (old.get(end) ?? 0)] as [number, number])
      .filter(([, count]) => count > 0);
}

export function percentile(buckets: [number, number][], share: number): number | null {
  const all = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (all === 0) return null;
  let left = Math.ceil(all * share);
  for (const [end, count] of buckets) {
    left -= count;
    if (left <= 0) return end / 1000;
  }
  return null;
}

// What a gateway has nothing of: its tables, and HBase's clients, are the cluster's.
const none: Histogram = { count: 0, sum: 0, max: 0, buckets: [] };
const nothing: Omit<Metrics, "now_ms"> = {
  reads: 0, writes: 0, calls: none, statements: none, sql_rows_read: 0, sql_rows_returned: 0, call_failures: 0, request_bytes: 0, response_bytes: 0,
  block_cache_hits: 0, block_cache_misses: 0, block_cache_bytes: 0, memstore_bytes: 0, resident_bytes: 0,
  flushes: 0, compactions: 0,
};

const kept = 300; // points, five minutes of them

export class History {
  readonly points: Point[] = [];
  last: Metrics | null = null;

  async poll(): Promise<void> {
    const now: Metrics = { ...nothing, ...await get("metrics") };
    const before = this.last;
    // Of a moment no rate can be told.
    if (before !== null && now.now_ms >= before.now_ms && now.now_ms - before.now_ms < 500) return;
    this.last = now;
    if (before === null || now.now_ms <= before.now_ms) return;
    // The server was started again.
    if (now.calls.count < before.calls.count || now.statements.count < before.statements.count) return;
    const seconds = (now.now_ms - before.now_ms) / 1000;
    const rate = (name: keyof Metrics) => ((now[name] as number) - (before[name] as number)) / seconds;
    const times = (name: "calls" | "statements"): Percentiles => {
      const buckets = between(before[name], now[name]);
      return { p50: percentile(buckets, 0.5), p95: percentile(buckets, 0.95), p99: percentile(buckets, 0.99) };
    };
    this.points.push({
      time: now.now_ms / 1000,
      calls: (now.calls.count - before.calls.count) / seconds,
      statements: (now.statements.count - before.statements.count) / seconds,
      sqlRead: rate("sql_rows_read"), sqlReturned: rate("sql_rows_returned"),
      reads: rate("reads"), writes: rate("writes"), failures: rate("call_failures"),
      callTimes: times("calls"), statementTimes: times("statements"),
      bytesIn: rate("request_bytes"), bytesOut: rate("response_bytes"),
      hits: rate("block_cache_hits"), misses: rate("block_cache_misses"),
      cacheBytes: now.block_cache_bytes, memstoreBytes: now.memstore_bytes, residentBytes: now.resident_bytes,
    });
    if (this.points.length > kept) this.points.shift();
  }
}
