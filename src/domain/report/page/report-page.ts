import { escapeHtml, type HtmlPage, renderList } from '../../common/markup.ts';
import type { DataFailure } from '../../data/data-failure.ts';
import type { Drawing } from '../../drawing/svg.ts';
import { buildReportContent, type Chapter, type Headline } from './chapters.ts';
import { drawCoverage } from './coverage-drawing.ts';
import type { AnyAnswer, ReportSource } from './parse-report.ts';
import { renderData, renderTable } from './render-data.ts';
import {
  collectValues,
  renderCitations,
  renderTime,
  renderValue,
  summarizeSources,
} from './render-value.ts';
import { REPORT_STYLE } from './report-style.ts';

/** The result of a signature check as one sentence, shown next to the proof. */
export interface ProofCheckResult {
  readonly isValid: boolean;
  readonly summary: string;
}

/**
 * Renders a report as one self-contained page for reading, printing and forwarding. It has no
 * scripts, loads nothing and contains its charts as SVG. Untrusted texts are escaped.
 */
export function renderReportPage(source: ReportSource, checked?: ProofCheckResult): HtmlPage {
  const { tool, answer } = source;
  const { title, headlines, chapters } = buildReportContent(tool, answer?.data ?? null);
  return {
    title: answer === null ? `Report: ${tool}` : title,
    style: REPORT_STYLE,
    body: [
      renderLead(source),
      ...renderPendingSteps(source),
      ...(answer === null ? ['<p>The report has no answer yet.</p>'] : renderFreshness(answer)),
      ...(answer === null || answer.data === null ? [] : [renderCards(headlines)]),
      ...(answer?.data === null
        ? ['<h2>Answer</h2><p>No source answered. You are not charged.</p>']
        : []),
      ...(answer === null || answer.data === null ? [] : chapters.map(renderChapter)),
      ...(answer === null ? [] : renderDetails(source, answer, checked)),
    ],
  };
}

function renderLead({ tool, job, answer }: ReportSource): string {
  const createdText =
    answer === null
      ? ''
      : ` Made ${renderTime(answer.generated_at)} by <code>${escapeHtml(tool)}</code>.`;
  if (job === null) {
    const completeness = escapeHtml(capitalize(answer?.completeness ?? ''));
    return `<p class="lead">${completeness} answer.${createdText}</p>`;
  }
  const { status, steps_done, steps_planned, reason } = job;
  const statusText = answer === null ? status : `${status}, ${answer.completeness}`;
  return (
    `<p class="lead">${escapeHtml(capitalize(statusText))}: ` +
    `${steps_done} of ${steps_planned} steps.${createdText}</p>` +
    (reason === null ? '' : `<p class="note">${escapeHtml(reason)}</p>`)
  );
}

/** Renders the age and expiry of the values. */
function renderFreshness({ data, disclaimer }: AnyAnswer): readonly string[] {
  const figures = collectValues(data);
  const { asOf } = summarizeSources(figures);
  const stale = figures.filter((one) => one.stale).length;
  const until = figures.map(({ valid_until }) => valid_until).sort()[0];
  return [
    ...(asOf === null || until === undefined
      ? []
      : [
          `<p class="soft">${figures.length} values as of ${renderTimeSpan(asOf)}; `,
          `${stale === 0 ? 'none' : `<strong>${stale}</strong>`} were stale at creation. `,
          `The first becomes stale at ${renderTime(until)}.</p>`,
        ]),
    ...(disclaimer === undefined ? [] : [`<p class="note">${escapeHtml(disclaimer)}</p>`]),
  ];
}

function renderCards(headlines: readonly Headline[]): string {
  if (headlines.length === 0) return '';
  const cards = headlines.map(({ name, figure: value }) => {
    const text = typeof value === 'string' ? `<b>${escapeHtml(value)}</b>` : renderCardValue(value);
    return `<dl class="card"><dt>${escapeHtml(name)}</dt><dd>${text}</dd></dl>`;
  });
  return `<div class="cards">${cards.join('')}</div>`;
}

function renderCardValue(told: Exclude<Headline['figure'], string>): string {
  return renderValue(told).replace(escapeHtml(told.value), `<b>${escapeHtml(told.value)}</b>`);
}

function renderChapter({
  title,
  status,
  missing,
  faults,
  drawings,
  data,
  isOpen,
}: Chapter): string {
  return [
    `<h2>${escapeHtml(capitalize(title))}${status === null ? '' : ` ${renderStatus(status)}`}</h2>`,
    missing.length === 0 ? '' : `<p class="soft">Missing: ${escapeHtml(missing.join(', '))}</p>`,
    faults.length === 0 ? '' : renderErrorTable(faults, `Errors of ${title}`),
    renderDrawings(drawings),
    renderChapterData({ title, data, isOpen }),
  ].join('');
}

/** Collapses data that is already in a chart. */
function renderChapterData({
  title,
  data,
  isOpen,
}: Pick<Chapter, 'title' | 'data' | 'isOpen'>): string {
  if (data === undefined) return '<p>No source answered.</p>';
  const part = renderData(data, title);
  return isOpen ? part : `<details><summary>All data</summary>${part}</details>`;
}

function renderDrawings(drawings: readonly Drawing[]): string {
  if (drawings.length === 0) return '';
  return `<div class="drawings">${drawings.map(renderDrawing).join('')}</div>`;
}

function renderDrawing({ title, note, svg, sources, asOf }: Drawing): string {
  const when = asOf === null ? '' : ` As of ${renderTimeSpan(asOf)}.`;
  return (
    `<figure><figcaption><b>${escapeHtml(capitalize(title))}</b>` +
    `<small>${escapeHtml(note)}${when} ${renderCitations(sources)}</small></figcaption>` +
    `${svg}</figure>`
  );
}

const GOOD_STATUSES = new Set(['full', 'ok', 'done', 'published']);
const BAD_STATUSES = new Set(['none', 'failed', 'aborted', 'stuck']);

function renderStatus(status: string): string {
  const tone = GOOD_STATUSES.has(status)
    ? 'is-good'
    : BAD_STATUSES.has(status)
      ? 'is-bad'
      : 'is-warn';
  return `<span class="status ${tone}">${escapeHtml(status.replaceAll('_', ' '))}</span>`;
}

/** Shows the steps first while the report has no answer, and after the answer otherwise. */
function renderPendingSteps(source: ReportSource): readonly string[] {
  return source.answer === null ? renderSteps(source) : [];
}

function renderSteps({ job }: ReportSource): readonly string[] {
  if (job === null) return [];
  return [
    '<h2>Steps</h2>',
    renderTable(
      'Steps',
      ['Step', 'Status', 'Error', 'Ended'],
      job.steps.map(({ title, status, fault, ended_at }) => [
        escapeHtml(title),
        renderStatus(status),
        fault === null ? '' : escapeHtml(`${fault.code}: ${fault.detail}`),
        ended_at === null ? '' : renderTime(ended_at),
      ]),
    ),
  ];
}

function renderDetails(
  source: ReportSource,
  answer: AnyAnswer,
  checked: ProofCheckResult | undefined,
): readonly string[] {
  const { coverage, faults, method } = answer;
  return [
    '<h2>Coverage</h2>',
    renderDrawings(drawCoverage(coverage)),
    ...renderSteps(source),
    `<h2>Errors: ${faults.length}</h2>`,
    faults.length === 0 ? '' : renderErrorTable(faults),
    ...renderSources(answer),
    '<h2>Method</h2>',
    renderList(Object.entries(method)),
    ...renderProof(source, answer, checked),
  ];
}

function renderErrorTable(faults: readonly DataFailure[], label = 'Errors'): string {
  return renderTable(
    label,
    ['Source', 'Code', 'Detail', 'Retry'],
    faults.map(({ upstream, code, detail, retryable }) => [
      ...[
        escapeHtml(upstream),
        escapeHtml(code),
        escapeHtml(detail),
        retryable ? 'may succeed' : 'no',
      ],
    ]),
  );
}

/** URLs are plain text, so that a forwarded page contains no external links. */
function renderSources({ sources }: AnyAnswer): readonly string[] {
  const rows = sources.map(
    ({ id, upstream, url, retrieved_at, sha256, bytes, from_cache, license }) => [
      `<span id="${escapeHtml(id)}">${escapeHtml(id)}</span>`,
      escapeHtml(upstream),
      `<div class="long">${escapeHtml(url)}<br><code>${escapeHtml(sha256)}</code></div>`,
      `${renderTime(retrieved_at)}${from_cache ? ' (cached)' : ''}`,
      ...[String(bytes), escapeHtml(license ?? '')],
    ],
  );
  const head = ['Id', 'Source', 'URL and SHA-256', 'Read', 'Bytes', 'License'];
  return [`<h2>Sources: ${sources.length}</h2>`, renderTable('Sources', head, rows)];
}

function renderProof(
  { job }: ReportSource,
  { evidence, request_id }: AnyAnswer,
  checked: ProofCheckResult | undefined,
): readonly string[] {
  if (evidence === null) return ['<h2>Proof</h2><p>An answer without data is not signed.</p>'];
  const mark = checked?.isValid === true ? 'is-good' : 'is-bad';
  return [
    '<h2>Proof</h2>',
    checked === undefined ? '' : `<p class="note ${mark}">${escapeHtml(checked.summary)}</p>`,
    renderList([
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

function renderTimeSpan([oldest, newest]: readonly [string, string]): string {
  return oldest === newest ? renderTime(oldest) : `${renderTime(oldest)} to ${renderTime(newest)}`;
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
