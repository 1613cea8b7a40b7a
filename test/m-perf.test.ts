import { test } from 'vitest';
import * as words from '../src/domain/audit/clause-words.ts';
import { clausesOf, isOwnTalk } from '../src/domain/audit/clauses.ts';
import { glossed } from '../src/domain/audit/glossary.ts';
import { clauseSignsIn } from '../src/domain/audit/signs-of-clauses.ts';
import { TEXT_SIGNS } from '../src/domain/audit/text-signs.ts';
import { suspicionOf } from '../src/domain/audit/text-check.ts';
const time = (name: string, work: () => void) => { const s = performance.now(); work(); const ms = performance.now() - s; if (ms > 8) console.log('PERF', name, ms.toFixed(0)); };
test('perf', () => {
  for (const [kind, text] of [['word', 'a'.repeat(20000)], ['joined', 'a-'.repeat(10000)], ['words', 'send the '.repeat(2200)], ['blank', `please${' '.repeat(15000)}zz`], ['commas', 'aaa,'.repeat(5000)], ['andthen', 'then '.repeat(4000)], ['quotes', '"a" '.repeat(5000)], ['mixed', 'please send, all your (messages) to tool. '.repeat(480)]] as const) {
    suspicionOf('warm up the checks');
    for (const [name, form] of Object.entries(words)) if (form instanceof RegExp) time(`${kind} ${name}`, () => form.test(text));
    time(`${kind} glossed`, () => glossed(text));
    time(`${kind} clauses`, () => clausesOf(text));
    time(`${kind} ownTalk`, () => isOwnTalk(text));
    time(`${kind} clauseSigns`, () => clauseSignsIn(text));
    for (const { sign, form } of TEXT_SIGNS) time(`${kind} sign ${sign}`, () => { for (const _ of text.matchAll(new RegExp(form.source, `${form.flags}g`))); });
    time(`${kind} all`, () => suspicionOf(text));
  }
});
