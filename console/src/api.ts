// The calls of the server's JSON API (docs/console.md).

export interface Place { offset: number; line: number; column: number }
export interface ApiError {
  status: string; message: string; code?: number; sqlstate?: string; hint?: string; position?: Place;
}

// The request itself was refused: it was wrong, or the server is gone.
export class Refused extends Error {
  constructor(readonly error: ApiError) { super(error.message); }
}

function meta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="bennu-${name}"]`)?.content ?? "";
}
const token = meta("token");
export const nonce = meta("nonce");

async function call(path: string, init: RequestInit): Promise<any> {
  let response: Response;
  try {
    response = await fetch("api/v1/" + path, init);
  } catch {
    throw new Refused({ status: "Unreachable", message: "The server does not answer." });
  }
  const answer = await response.json().catch(() => ({
    error: { status: "Unreachable", message: `The server answered with HTTP ${response.status}.` },
  }));
  if (!response.ok) throw new Refused(answer.error);
  return answer;
}

export const get = (path: string) => call(path, { cache: "no-store" });
export const post = (path: string, body: object, keepalive = false) => call(path, {
  method: "POST",
  headers: { "Content-Type": "application/json", "X-Bennu-Token": token },
  body: JSON.stringify(body),
  keepalive,
});

export interface Histogram { count: number; sum: number; max: number; buckets: [number, number][] }
export interface Metrics {
  now_ms: number; reads: number; writes: number; calls: Histogram; statements: Histogram;
  sql_rows_read: number; sql_rows_returned: number; call_failures: number; request_bytes: number; response_bytes: number;
  block_cache_hits: number; block_cache_misses: number; block_cache_bytes: number;
  memstore_bytes: number; resident_bytes: number; flushes: number; compactions: number;
}
export interface TableRow {
  name: string; sql_name?: string; sql_type?: string; salt_buckets?: number; enabled: boolean;
  families: string[]; regions: number; store_files: number; file_bytes: number; memstore_bytes: number;
  reads: number; writes: number;
}
export interface PlanNode {
  name: string; detail: string; rows?: number; ms?: number; memory_bytes?: number;
  notes: string[]; children: PlanNode[];
}
export interface Plan {
  totals: { rows: number; ms: number; morsels: number; threads: number; memory_bytes: number; spilled_bytes: number };
  nodes: PlanNode[];
}
export interface ResultColumn { name: string; type: string; number: boolean }
export type ResultRow = (string | null)[];
export interface SqlAnswer {
  session?: string; error?: ApiError; columns?: ResultColumn[]; rows?: ResultRow[]; done?: boolean;
  update_count?: number; plan?: Plan; elapsed_ms: number;
}
