import { toCamelCase, toPascalCase, toTitle } from './names.mjs';

const LABELS = 'web/src/pages/panel/panel-kinds.ts';

/** A panel of seats that decides one question. */
export const panel = {
  what: 'panel',
  about: 'a panel: phases, seats, prompts, tally and result',
  form: 'words in kebab-case',
  example: 'jury',
  pattern: /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
  plan: (plan, name) => {
    const constant = `${toCamelCase(name)}Panel`;
    const title = toTitle(name);
    plan.create(`src/domain/${name}/panel.ts`, panelFile(name, constant, title));
    plan.addLine('src/domain/panel/panels.ts', {
      list: 'PANELS',
      entry: constant,
      line: `import { ${constant} } from '../${name}/panel.ts';`,
    });
    plan.addLine(LABELS, {
      list: 'PANEL_KINDS',
      entry: `  ['${name}', { label: '${title}', page: 'panel' }]`,
    });
    plan.createTest(`test/domain/${name}/panel.test.ts`, {
      name: `the panel ${name}`,
      imports: [`import { ${constant} } from '../../../src/domain/${name}/panel.ts';`],
      lines: [`expect(${constant}.kind).toBe('${name}');`],
    });
    plan.left.push(`src/domain/${name}/panel.ts: phases, prompts, answers and result`);
    plan.left.push('npm run new tool <subject>/<name>: the tool that orders it');
    plan.left.push('node scripts/docs.mjs --source: its chart and its page');
  },
};

function panelFile(name, constant, title) {
  const brief = `${toPascalCase(name)}Brief`;
  return `${imports()}
const ${brief} = z.object({
  question: z.string(),
  options: z.array(z.object({ optionId: z.string(), name: z.string() })),
  evidence: z.array(z.object({ evidenceId: z.string(), text: z.string() })),
});
type ${brief} = z.infer<typeof ${brief}>;

/** Say who sits on the panel, and what it decides. */
export const ${constant}: PanelDefinition<${brief}> = {
  kind: '${name}',
  version: 1,
  title: '${title}',
  seats: { least: 3, most: 11 },
  showsRoles: false,
${phases()}  brief: ${brief},
  result: PanelResultBase,
  prompt: (order, { brief }) => ({
    system: 'Say what the seat is, and by which rules it decides.',
    prompt: createDelimiter(order)('question', '', brief.question),
    schema: { name: \`panel_\${order.phase}\`, jsonSchema: { type: 'object' } },
  }),
  parse: (value, { order, brief }) =>
    order.phase === BALLOT_PHASE ? parseBallot(value, brief) : parsePosition(value, brief),
  applyRule: ({ phase }, { brief }) => {
    const [first] = brief.options;
    invariant(first !== undefined, 'a panel has options');
    const position = first.optionId;
    const ranking = phase === BALLOT_PHASE ? { ranking: [position] } : {};
    const reason = { argument: 'Say why.', confidence: 1, evidenceIds: [], changeReason: null };
    return { position, ...reason, ...ranking };
  },
  tally: (ballots, rules) => countBallots(ballots, rules),
  report: buildResult,
  resultText: (result) => ({
    answer: formatHeadline(result, result.winner?.name ?? ''),
    why: formatReason(result),
    details: [],
  }),
};

${report(brief)}`;
}

function imports() {
  return `import { z } from 'zod';
import { invariant } from '../common/error.ts';
import { parseBallot, parsePosition } from '../panel/answer-forms.ts';
import type { PanelDefinition, PanelResult, ReportInput } from '../panel/definition.ts';
import { createDelimiter } from '../panel/delimiters.ts';
import { formatHeadline, formatReason } from '../panel/lines.ts';
import { BALLOT_PHASE } from '../panel/records.ts';
import {
  buildCostReport,
  buildSeatReports,
  buildTallyReport,
  computeRefund,
  listDissent,
  listFlips,
  namedOption,
} from '../panel/report.ts';
import { PanelResultBase } from '../panel/result.ts';
import { countFamilies } from '../panel/seating.ts';
import { countBallots } from '../panel/tally.ts';
`;
}

function phases() {
  return `  phases: [
    {
      by: 'seats',
      name: 'judgement',
      state: 'judging',
      description: 'Every seat judges on its own.',
      answer: 'stand',
      view: 'none',
    },
    {
      by: 'seats',
      name: BALLOT_PHASE,
      state: 'voting',
      description: 'Every seat casts a secret, ranked ballot.',
      answer: 'ballot',
      view: 'ring',
    },
  ],
`;
}

function report(brief) {
  return `function buildResult(facts: ReportInput<${brief}>): PanelResult {
  const { input, outcome, reason, tally, turns, brief, transcriptRoot } = facts;
  const winner = outcome === 'decided' ? (tally?.winner ?? null) : null;
  return {
    outcome,
    reason,
    winner: winner === null ? null : namedOption(brief.options, winner),
    rule: tally?.rule ?? null,
    forced: tally?.forced ?? false,
    tally: tally === null ? null : buildTallyReport(tally, facts),
    dissent: winner === null ? [] : listDissent(facts, winner),
    flips: listFlips(turns, undefined),
    seats: buildSeatReports(input),
    mode: input.mode,
    families: countFamilies(input.seats),
    cost: buildCostReport(input, turns),
    refund: computeRefund(facts),
    transcript_root: transcriptRoot,
    limits: [],
  };
}
`;
}
