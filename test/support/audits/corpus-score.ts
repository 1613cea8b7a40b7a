import {
  findExfiltration,
  findHintDefects,
  findOverBroad,
} from '../../../src/domain/audit/probe/definition-defects.ts';
import type { Definition } from '../../../src/domain/audit/probe/recon.ts';
import { findHiddenCharacters } from '../../../src/domain/audit/text/hidden-characters.ts';
import { findLookalikes } from '../../../src/domain/audit/text/lookalikes.ts';
import { findOverreach } from '../../../src/domain/audit/text/overreach.ts';
import { assessText } from '../../../src/domain/audit/text/text-check.ts';
import { listTexts, textContextOf } from '../../../src/domain/audit/text/texts.ts';
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
    listTexts(definition).some(
      (one) =>
        assessText(one.text, textContextOf(one)) !== undefined ||
        findHiddenCharacters(one.text).length > 0,
    ) ||
    [findOverreach, findExfiltration, findOverBroad].some(
      (check) => check(definition).length > 0,
    ) ||
    findHintDefects(definition).some(({ fault }) => fault === 'misleading') ||
    findLookalikes({ tools: [definition], greeting: null }).length > 0
  );
}
