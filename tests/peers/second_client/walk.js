// What a client that is not Java does: the same steps for the real HBase and for `bennu serve`,
// found through ZooKeeper's protocol. Prints what it got, without what depends on the moment.
//   node walk.js HOST:PORT-OF-ZOOKEEPER
// The tables exist: `plain`, and `parts`, split at g, n and t; each with the families f and g.
'use strict';

const hbase = require('hbase-rpc-client');
const { promisify } = require('util');

// It would try again after each error of HBase's, and then look for the region by a call that HBase
// has no longer since 2.0.
const client = hbase({
  zookeeperHosts: [process.argv[2]],
  callTimeout: 20000,
  tcpNoDelay: true,
  maxActionRetries: -1,
});
client.on('error', (error) => { console.error(error); process.exit(1); });

const call = (method, ...args) => promisify(client[method]).apply(client, args);

// A row as text: its cells in the order in which they came.
function rowText(row) {
  if (!row || !row.columns) return 'nothing';
  const cells = row.columns.map((c) => `${c.family}:${c.qualifier}=${c.value.toString('latin1')}`);
  return `${row.row} {${cells.join(', ')}}`;
}

// The class of an error and whether to try again; messages name regions, whose names differ.
function errorText(error) {
  if (error.exceptionClassName) return `${error.exceptionClassName}, retry ${!error.doNotRetry}`;
  if (error.name && error.value) return error.name;
  return String(error);
}

async function step(name, work) {
  let text;
  try {
    text = await work();
  } catch (error) {
    text = `error ${errorText(error)}`;
  }
  console.log(`${name}: ${text}`);
}

function put(row, cells, ts) {
  const p = new hbase.Put(row, ts);
  for (const [column, value] of Object.entries(cells)) p.add(...column.split(':'), value);
  return p;
}

function scan(table, { from, to, filter, reversed } = {}) {
  const scanner = client.getScanner(table, from, to);
  if (reversed) scanner.setReversed();
  if (filter) scanner.setFilter(filter);
  return promisify(scanner.toArray)();
}
const names = async (rows) => (await rows).map((r) => r.row.toString()).join(' ');
const texts = async (rows) => (await rows).map(rowText).join('; ');
const number = (row, column) => row.cols[column].value.readBigInt64BE();
const get = async (table, what) =>
  rowText(await call('get', table, typeof what === 'string' ? new hbase.Get(what) : what));
const mget = async (...args) => (await call('mget', ...args)).map(rowText).join('; ');
const write = async (method, ...args) => processed(await call(method, ...args));
const processed = (answer) => `processed ${answer.processed}`;

async function singles() {
  await step('put', () => write('put', 'plain', put('r1', { 'f:a': '1', 'g:b': 'two' })));
  await step('get', () => get('plain', 'r1'));
  await step('get a column', () => get('plain', new hbase.Get('r1').addColumn('g', 'b')));
  await step('get what is not there', () => get('plain', 'none'));
  for (const ts of [10, 20, 30]) await call('put', 'plain', put('v', { 'f:a': `at ${ts}` }, ts));
  await step('versions', () => get('plain', new hbase.Get('v').setMaxVersions(5)));
  await step('a time range', () =>
    get('plain', new hbase.Get('v').setMaxVersions(5).setTimeRange(10, 30)));
  const one = new hbase.Delete('v');
  one.deleteColumn('f', 'a', 20);
  await step('delete a version', () => write('delete', 'plain', one));
  await step('what is left', () => get('plain', new hbase.Get('v').setMaxVersions(5)));
  const family = new hbase.Delete('r1');
  family.deleteFamily('g');
  await step('delete a family', () => write('delete', 'plain', family));
  await step('the other family', () => get('plain', 'r1'));
  await step('delete a row', () => write('delete', 'plain', new hbase.Delete('r1')));
  await step('the row', () => get('plain', 'r1'));
  const wide = put('wide', {});
  for (let i = 0; i < 2000; i++) wide.add('f', `q${String(i).padStart(4, '0')}`, 'x'.repeat(100));
  await step('a wide row', () => write('put', 'plain', wide));
  await step('read', async () =>
    (await call('get', 'plain', new hbase.Get('wide'))).columns.length);
}

async function conditions() {
  await step('increment', async () => {
    await call('incrementColumnValue', 'plain', 'n', 'f', 'c', 5);
    return number((await call('get', 'plain', new hbase.Get('n'))), 'f:c');
  });
  const both = new hbase.Increment('n');
  both.add('f', 'c', -7);
  both.add('f', 'd', '9223372036854775807');
  await step('increment two', async () => {
    const answer = client._parseResponse((await call('increment', 'plain', both)).result);
    return `${number(answer, 'f:c')} ${number(answer, 'f:d')}`;
  });
  await call('put', 'plain', put('t', { 'f:a': 'text' }));
  await step('increment text', async () => call('incrementColumnValue', 'plain', 't', 'f', 'a', 1));
  const check = (value, cells) =>
    write('checkAndPut', 'plain', 't', 'f', 'a', value, put('t', cells));
  await step('checkAndPut', () => check('text', { 'f:a': 'next' }));
  await step('checkAndPut, not so', () => check('text', { 'f:a': 'never' }));
  await step('checkAndPut, another row', async () =>
    call('checkAndPut', 'plain', 't', 'f', 'a', 'next', put('u', { 'f:a': '1' })));
  await step('after it', () => get('plain', 't'));
  await step('checkAndDelete', () =>
    write('checkAndDelete', 'plain', 't', 'f', 'a', 'next', new hbase.Delete('t')));
  await step('after it', () => get('plain', 't'));
}

const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
async function batches() {
  const puts = letters.map((letter, i) =>
    put(letter, { 'f:n': String(i), 'g:odd': i % 2 ? 'yes' : 'no' }));
  await step('mput', async () => (await call('mput', 'parts', puts)).length);
  await step('mget', () => mget('parts', ['a', 'h', 'o', 'z', 'none']));
  await step('mget a column', () => mget('parts', ['b', 'y'], ['g:odd']));
  await step('mdelete', async () => (await call('mdelete', 'parts', ['b', 'y'])).length);
  await step('mget what was deleted', () => mget('parts', ['b', 'y']));
}

const equals = (value) => ({ comparable: { value } });
const lists = (how, ...filters) => {
  const list = new hbase.FilterList(how);
  filters.forEach((f) => list.addFilter(f));
  return list;
};
const column = (columnFamily, columnQualifier, compareOp, comparator) => ({
  singleColumnValueFilter: { columnFamily, columnQualifier, compareOp, comparator,
    filterIfMissing: true, latestVersionOnly: true },
});
const prefix = (text) => ({ prefixFilter: { prefix: text } });
const matches = (filter, compareOp, comparator) =>
  ({ [filter]: { compareFilter: { compareOp, comparator } } });
const odd = () => column('g', 'odd', 'EQUAL', { binaryComparator: equals('yes') });
const one = () => column('f', 'n', 'EQUAL', { substringComparator: { substr: '1' } });
const filters = {
  'a prefix': () => prefix('h'),
  'a value': odd,
  'two values': () => lists('MUST_PASS_ALL', odd(), one()),
  'one of two': () => lists('MUST_PASS_ONE', one(), prefix('c')),
  'a list in a list': () =>
    lists('MUST_PASS_ONE', lists('MUST_PASS_ALL', odd(), one()), prefix('c')),
  'rows after': () => matches('rowFilter', 'GREATER', { binaryComparator: equals('v') }),
  'rows like': () => matches('rowFilter', 'EQUAL',
    { regexStringComparator: { pattern: '[aeiou]', patternFlags: 0, charset: 'UTF-8' } }),
  'values': () => matches('valueFilter', 'EQUAL', { binaryPrefixComparator: equals('2') }),
  'column prefix': () => ({ columnPrefixFilter: { prefix: 'o' } }),
  'first key only': () => ({ firstKeyOnlyFilter: {} }),
  'keys only': () => ({ keyOnlyFilter: { lenAsVal: false } }),
  'a page': () => ({ pageFilter: { pageSize: 2 } }),
  'until': () => ({ inclusiveStopFilter: { stopRowKey: 'd' } }),
};

async function scans() {
  await step('scan', async () => names(scan('parts')));
  await step('scan a range', async () => names(scan('parts', { from: 'e', to: 'q' })));
  await step('scan back', async () => names(scan('plain', { reversed: true })));
  for (const [name, filter] of Object.entries(filters)) {
    await step(`scan, ${name}`, async () => texts(scan('parts', { filter: filter() })));
  }
}

async function errors() {
  await step('an unknown table', () => get('nowhere', 'r'));
  await step('an unknown family', () => write('put', 'plain', put('r', { 'x:a': '1' })));
  await step('an unknown family in a get', () => get('plain', new hbase.Get('r').addColumn('x', 'a')));
  await step('an unknown family in a batch', async () =>
    (await call('mput', 'plain', [put('r', { 'x:a': '1' })])).map(errorText).join('; '));
  await step('an empty put', () => write('put', 'plain', new hbase.Put('r')));
  await step('after all that', () => write('put', 'plain', put('r', { 'f:a': '1' })));
}

(async () => {
  await singles();
  await conditions();
  await batches();
  await scans();
  await errors();
  process.exit(0);
})();
