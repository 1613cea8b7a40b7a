import { type HtmlPage, list, shown } from '../../common/markup.ts';
import type { DataFault } from '../../data/fault.ts';
import type { Drawing } from '../../drawing/svg.ts';
import { type Chapter, type Headline, toldAnswer } from './chapters.ts';
import { coverageDrawing } from './coverage-drawing.ts';
import { dataPart, wideTable } from './data-part.ts';
import { cites, figure, figuresIn, groundOf, timeText } from './figures.ts';
import type { AnyAnswer, ReportSource } from './read-report.ts';
import { REPORT_STYLE } from './report-style.ts';

/** The result of a signature check as one sentence, shown next to the proof. */
export interface CheckedProof {
  readonly isValid: boolean;
  readonly words: string;
}

/**
 * Renders a report as one self-contained page for reading, printing and forwarding. It has no
 * scripts, loads nothing and contains its charts as SVG. Untrusted texts are escaped.
 */
export function reportPage(source: ReportSource, checked?: CheckedProof): HtmlPage {
  const { tool, answer } = source;
  const { title, headlines, chapters } = toldAnswer(tool, answer?.data ?? null);
  return {
    title: answer === null ? `Report: ${tool}` : title,
    style: REPORT_STYLE,
    body: [
      leadPart(source),
      ...stepsOnTop(source),
      ...(answer === null ? ['<p>The report has no answer yet.</p>'] : groundPart(answer)),
      ...(answer === null || answer.data === null ? [] : [cardsPart(headlines)]),
      ...(answer?.data === null
        ? ['<h2>Answer</h2><p>No source answered. You are not charged.</p>']
        : []),
      ...(answer === null || answer.data === null ? [] : chapters.map(chapterPart)),
      ...(answer === null ? [] : endPart(source, answer, checked)),
    ],
  };
}

function leadPart({ tool, job, answer }: ReportSource): string {
  const made =
    answer === null ? '' : ` Made ${timeText(answer.generated_at)} by <code>${shown(tool)}</code>.`;
  if (job === null) {
    return `<p class="lead">${shown(capital(answer?.completeness ?? ''))} answer.${made}</p>`;
  }
  const { status, steps_done, steps_planned, reason } = job;
  const how = answer === null ? status : `${status}, ${answer.completeness}`;
  return (
    `<p class="lead">${shown(capital(how))}: ${steps_done} of ${steps_planned} steps.${made}</p>` +
    (reason === null ? '' : `<p class="note">${shown(reason)}</p>`)
  );
}

/** Renders the age and expiry of the values. */
function groundPart({ data, disclaimer }: AnyAnswer): readonly string[] {
  const figures = figuresIn(data);
  const { asOf } = groundOf(figures);
  const stale = figures.filter((one) => one.stale).length;
  const until = figures.map(({ valid_until }) => valid_until).sort()[0];
  return [
    ...(asOf === null || until === undefined
      ? []
      : [
          `<p class="soft">${figures.length} values as of ${spanText(asOf)}; `,
          `${stale === 0 ? 'none' : `<strong>${stale}</strong>`} were stale at creation. `,
          `The first becomes stale at ${timeText(until)}.</p>`,
        ]),
    ...(disclaimer === undefined ? [] : [`<p class="note">${shown(disclaimer)}</p>`]),
  ];
}

function cardsPart(headlines: readonly Headline[]): string {
  if (headlines.length === 0) return '';
  const cards = headlines.map(({ name, figure: told }) => {
    const text = typeof told === 'string' ? `<b>${shown(told)}</b>` : cardFigure(told);
    return `<dl class="card"><dt>${shown(name)}</dt><dd>${text}</dd></dl>`;
  });
  return `<div class="cards">${cards.join('')}</div>`;
}

function cardFigure(told: Exclude<Headline['figure'], string>): string {
  return figure(told).replace(shown(told.value), `<b>${shown(told.value)}</b>`);
}

function chapterPart({ title, status, missing, faults, drawings, data, isOpen }: Chapter): string {
  return [
    `<h2>${shown(capital(title))}${status === null ? '' : ` ${statusMark(status)}`}</h2>`,
    missing.length === 0 ? '' : `<p class="soft">Missing: ${shown(missing.join(', '))}</p>`,
    faults.length === 0 ? '' : faultTable(faults, `Errors of ${title}`),
    drawingsPart(drawings),
    dataOf({ title, data, isOpen }),
  ].join('');
}

/** Collapses data that is already in a chart. */
function dataOf({ title, data, isOpen }: Pick<Chapter, 'title' | 'data' | 'isOpen'>): string {
  if (data === undefined) return '<p>No source answered.</p>';
  const part = dataPart(data, title);
  return isOpen ? part : `<details><summary>All data</summary>${part}</details>`;
}

function drawingsPart(drawings: readonly Drawing[]): string {
  if (drawings.length === 0) return '';
  return `<div class="drawings">${drawings.map(figurePart).join('')}</div>`;
}

function figurePart({ title, note, svg, sources, asOf }: Drawing): string {
  const when = asOf === null ? '' : ` As of ${spanText(asOf)}.`;
  return (
    `<figure><figcaption><b>${shown(capital(title))}</b>` +
    `<small>${shown(note)}${when} ${cites(sources)}</small></figcaption>${svg}</figure>`
  );
}

const GOOD = new Set(['full', 'ok', 'done', 'published']);
const BAD = new Set(['none', 'failed', 'aborted', 'stuck']);

function statusMark(status: string): string {
  const tone = GOOD.has(status) ? 'is-good' : BAD.has(status) ? 'is-bad' : 'is-warn';
  return `<span class="status ${tone}">${shown(status.replaceAll('_', ' '))}</span>`;
}

/** Shows the steps first while the report has no answer, and after the answer otherwise. */
function stepsOnTop(source: ReportSource): readonly string[] {
  return source.answer === null ? stepsPart(source) : [];
}

function stepsPart({ job }: ReportSource): readonly string[] {
  if (job === null) return [];
  return [
    '<h2>Steps</h2>',
    wideTable(
      'Steps',
      ['Step', 'Status', 'Error', 'Ended'],
      job.steps.map(({ title, status, fault, ended_at }) => [
        shown(title),
        statusMark(status),
        fault === null ? '' : shown(`${fault.code}: ${fault.detail}`),
        ended_at === null ? '' : timeText(ended_at),
      ]),
    ),
  ];
}

function endPart(
  source: ReportSource,
  answer: AnyAnswer,
  checked: CheckedProof | undefined,
): readonly string[] {
  const { coverage, faults, method } = answer;
  return [
    '<h2>Coverage</h2>',
    drawingsPart(coverageDrawing(coverage)),
    ...stepsPart(source),
    `<h2>Errors: ${faults.length}</h2>`,
    faults.length === 0 ? '' : faultTable(faults),
    ...sourcesPart(answer),
    '<h2>Method</h2>',
    list(Object.entries(method)),
    ...proofPart(source, answer, checked),
  ];
}

function faultTable(faults: readonly DataFault[], label = 'Errors'): string {
  return wideTable(
    label,
    ['Source', 'Code', 'Detail', 'Retry'],
    faults.map(({ upstream, code, detail, retryable }) => [
      ...[shown(upstream), shown(code), shown(detail), retryable ? 'may succeed' : 'no'],
    ]),
  );
}

/** URLs are plain text, so that a forwarded page contains no external links. */
function sourcesPart({ sources }: AnyAnswer): readonly string[] {
  const rows = sources.map(
    ({ id, upstream, url, retrieved_at, sha256, bytes, from_cache, license }) => [
      `<span id="${shown(id)}">${shown(id)}</span>`,
      shown(upstream),
      `<div class="long">${shown(url)}<br><code>${shown(sha256)}</code></div>`,
      `${timeText(retrieved_at)}${from_cache ? ' (cached)' : ''}`,
      ...[String(bytes), shown(license ?? '')],
    ],
  );
  const head = ['Id', 'Source', 'URL and SHA-256', 'Read', 'Bytes', 'License'];
  return [`<h2>Sources: ${sources.length}</h2>`, wideTable('Sources', head, rows)];
}

function proofPart(
  { job }: ReportSource,
  { evidence, request_id }: AnyAnswer,
  checked: CheckedProof | undefined,
): readonly string[] {
  if (evidence === null) return ['<h2>Proof</h2><p>An answer without data is not signed.</p>'];
  const mark = checked?.isValid === true ? 'is-good' : 'is-bad';
  return [
    '<h2>Proof</h2>',
    checked === undefined ? '' : `<p class="note ${mark}">${shown(checked.words)}</p>`,
    list([
      ['SHA-256 of the answer', evidence.result_sha256],
      ['Records', evidence.records],
      ['Request', request_id],
    ]),
    job === null
      ? '<p>The JSON source of this page is the signed answer. '
      : '<p>Request this report as JSON (<code>?format=json</code>) to get the signed answer. ',
    'Check it with <code>stoa verify</code>. This page itself is not signed.</p>',
  ];
}

function spanText([oldest, newest]: readonly [string, string]): string {
  return oldest === newest ? timeText(oldest) : `${timeText(oldest)} to ${timeText(newest)}`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
