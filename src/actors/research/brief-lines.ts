import { readableLine } from '../../domain/common/readable.ts';
import type { BriefClaim, ResearchReport } from '../../domain/research/report.ts';

/** Formats a brief as text lines: sections of claims with `[n]`, then the citations. */
export function briefLines(report: ResearchReport): readonly string[] {
  const { executive_summary, answers, mechanisms, alternatives, risks, citations } = report;
  return [
    ...section('Executive summary', executive_summary),
    ...answers.flatMap(({ question, claims }) => section(question, claims)),
    ...section('Mechanisms', mechanisms),
    ...section('Alternatives', alternatives),
    ...section('Risks', risks),
    'Citations',
    ...citations.map(
      ({ n, title, url, retrieved_at }) =>
        `[${n}] ${readableLine(title)} <${url}>, read ${retrieved_at}`,
    ),
  ];
}

function section(heading: string, claims: readonly BriefClaim[]): readonly string[] {
  if (claims.length === 0) return [heading, '- None of the documents address this.'];
  return [heading, ...claims.map(({ text, cites }) => `- ${readableLine(text)} ${marks(cites)}`)];
}

function marks(cites: readonly number[]): string {
  return cites.map((n) => `[${n}]`).join('');
}
