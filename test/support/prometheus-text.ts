/** One line of a metric, read back. */
export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric, read back. */
export interface ReadMetric {
  readonly type: string;
  readonly help: string;
  readonly samples: ReadSample[];
}

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/;
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([+-]?(?:[0-9.e+-]+|Inf)|NaN)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;

/**
 * Reads the text format 0.0.4 as Prometheus does, and throws at the first line that breaks it:
 * grammar, one block a metric, no sample twice, histograms whose buckets only grow and end with
 * `+Inf` equal to their count.
 */
export function readMetrics(text: string): ReadonlyMap<string, ReadMetric> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const reader = new Reader();
  for (const line of text.slice(0, -1).split('\n')) reader.take(line);
  for (const [name, metric] of reader.metrics) {
    if (metric.type === 'histogram') check(name, metric);
  }
  return reader.metrics;
}

class Reader {
  readonly metrics = new Map<string, ReadMetric>();
  readonly #seen = new Set<string>();
  #help: readonly [name: string, help: string] | undefined;
  #current: readonly [name: string, metric: ReadMetric] | undefined;

  take(line: string): void {
    const helped = HELP.exec(line);
    const typed = TYPE.exec(line);
    if (helped !== null) this.#help = [helped[1] ?? '', helped[2] ?? ''];
    else if (typed !== null) this.#begin(typed[1] ?? '', typed[2] ?? '');
    else this.#add(line);
  }

  #begin(name: string, type: string): void {
    if (this.#help?.[0] !== name) throw new Error(`${name} has no HELP before its TYPE`);
    if (this.metrics.has(name)) throw new Error(`${name} comes twice`);
    this.#current = [name, { type, help: this.#help[1], samples: [] }];
    this.metrics.set(...this.#current);
  }

  #add(line: string): void {
    const sample = readSample(line);
    if (this.#current === undefined || !belongs(sample.name, this.#current)) {
      throw new Error(`${line} stands outside its metric`);
    }
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).map(String).toSorted()]);
    if (this.#seen.has(key)) throw new Error(`${key} comes twice`);
    this.#seen.add(key);
    this.#current[1].samples.push(sample);
  }
}

function belongs(name: string, [metric, { type }]: readonly [string, ReadMetric]): boolean {
  if (type !== 'histogram') return name === metric;
  return ['_bucket', '_sum', '_count'].some((suffix) => name === metric + suffix);
}

function readSample(line: string): ReadSample {
  const found = SAMPLE.exec(line);
  if (found === null) throw new Error(`no sample: ${line}`);
  const [, name = '', pairs = '', number = ''] = found;
  const value = Number(number.replace('Inf', 'Infinity'));
  if (Number.isNaN(value) && number !== 'NaN') throw new Error(`no number: ${line}`);
  return { name, labels: readLabels(pairs), value };
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const found = LABEL.exec(rest);
    if (found === null) throw new Error(`no labels: ${text}`);
    const [whole, name = '', value = ''] = found;
    if (name in labels) throw new Error(`${name} comes twice: ${text}`);
    labels[name] = value.replace(/\\(["\\n])/g, (_all, char: string) =>
      char === 'n' ? '\n' : char,
    );
    rest = rest.slice(whole.length);
  }
  return labels;
}

/** Holds each histogram of a metric to its form. */
function check(name: string, { samples }: ReadMetric): void {
  const groups = new Map<string, ReadSample[]>();
  for (const sample of samples) {
    const { le: _le, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const [key, group] of groups) {
    const buckets = group.filter((sample) => sample.name.endsWith('_bucket'));
    const bounds = buckets.map(({ labels }) => Number(labels['le']?.replace('Inf', 'Infinity')));
    const counts = buckets.map(({ value }) => value);
    const total = group.find((sample) => sample.name.endsWith('_count'))?.value;
    const isRising = (list: readonly number[], least: number) =>
      list.every((one, at) => at === 0 || one - (list[at - 1] ?? 0) >= least);
    const isWhole = bounds.at(-1) === Number.POSITIVE_INFINITY && counts.at(-1) === total;
    const hasSum = group.some((sample) => sample.name.endsWith('_sum'));
    if (!isWhole || !hasSum || !isRising(counts, 0) || !isRising(bounds, Number.MIN_VALUE)) {
      throw new Error(`${name}${key} is no histogram`);
    }
  }
}
