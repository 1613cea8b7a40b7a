import type { Definition } from '../../../src/domain/audit/probe/recon.ts';
import {
  exfiltrationIn,
  hintFaultsIn,
  overBroadIn,
} from '../../../src/domain/audit/probe/tool-shape.ts';
import { hiddenIn } from '../../../src/domain/audit/text/hidden-characters.ts';
import { lookalikesIn } from '../../../src/domain/audit/text/lookalikes.ts';
import { overReachOf } from '../../../src/domain/audit/text/over-reach.ts';
import { suspicionOf } from '../../../src/domain/audit/text/text-check.ts';
import { placeOf, textsOf } from '../../../src/domain/audit/text/texts.ts';
import { corpusOf } from '../corpus/corpus.ts';
import type { Half } from '../corpus/family.ts';

/** How the text checks did on one half of the corpus. */
export interface CorpusScore {
  readonly poisoned: number;
  readonly ordinary: number;
  readonly caught: number;
  readonly falseAlarms: number;
  readonly precision: number;
  readonly recall: number;
  /** Ids of what was missed, and of ordinary definitions that were taken for poisoned. */
  readonly missed: readonly string[];
  readonly alarms: readonly string[];
}

/** Runs all text checks over one half. */
export function corpusScore(half: Half): CorpusScore {
  const rows = corpusOf(half).map((entry) => ({
    ...entry,
    isTold: isTold({ ...entry.definition }),
  }));
  const poisoned = rows.filter((row) => row.poisoned);
  const ordinary = rows.filter((row) => !row.poisoned);
  const caught = poisoned.filter(({ isTold }) => isTold).length;
  const alarms = ordinary.filter(({ isTold }) => isTold).map(({ id }) => id);
  return {
    poisoned: poisoned.length,
    ordinary: ordinary.length,
    caught,
    falseAlarms: alarms.length,
    precision: caught / (caught + alarms.length),
    recall: caught / poisoned.length,
    missed: poisoned.filter(({ isTold }) => !isTold).map(({ id }) => id),
    alarms,
  };
}

function isTold(definition: Definition): boolean {
  return (
    textsOf(definition).some(
      (one) => suspicionOf(one.text, placeOf(one)) !== undefined || hiddenIn(one.text).length > 0,
    ) ||
    [overReachOf, exfiltrationIn, overBroadIn].some((check) => check(definition).length > 0) ||
    hintFaultsIn(definition).some(({ fault }) => fault === 'misleading') ||
    lookalikesIn({ tools: [definition], greeting: null }).length > 0
  );
}
