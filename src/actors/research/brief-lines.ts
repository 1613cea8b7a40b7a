import { toReadableLine } from '../../domain/common/readable.ts';
import type { BriefClaim, ResearchReport } from '../../domain/research/report.ts';

/** Formats a brief as text lines: sections of claims with `[n]`, then the citations. */
export function formatBrief(report: ResearchReport): readonly string[] {
  const { executive_summary, answers, mechanisms, alternatives, risks, citations } = report;
  return [
    ...formatSection('Executive summary', executive_summary),
    ...answers.flatMap(({ question, claims }) => formatSection(question, claims)),
    ...formatSection('Mechanisms', mechanisms),
    ...formatSection('Alternatives', alternatives),
    ...formatSection('Risks', risks),
    'Citations',
    ...citations.map(
      ({ n, title, url, retrieved_at }) =>
        `[${n}] ${toReadableLine(title)} <${url}>, read ${retrieved_at}`,
    ),
  ];
}

function formatSection(heading: string, claims: readonly BriefClaim[]): readonly string[] {
  if (claims.length === 0) return [heading, '- None of the documents address this.'];
  return [
    heading,
    ...claims.map(({ text, cites }) => `- ${toReadableLine(text)} ${formatCitations(cites)}`),
  ];
}

function formatCitations(cites: readonly number[]): string {
  return cites.map((n) => `[${n}]`).join('');
}
