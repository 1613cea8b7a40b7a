import { Buffer } from 'node:buffer';
import { SEARCHED, WEIGHED } from '../../../src/actors/audit/session/text-turns.ts';
import { withoutNames } from '../../../src/domain/arbitration/neutral.ts';
import { fullArguments, listMembers, slotsOf } from '../../../src/domain/audit/probe/arguments.ts';
import { secretsIn, withoutSecrets } from '../../../src/domain/audit/probe/secrets.ts';
import { guessFrom } from '../../../src/domain/audit/probe/session-guess.ts';
import { answerText } from '../../../src/domain/audit/probe/tool-answer.ts';
import { wordsOfName } from '../../../src/domain/audit/probe/tool-nature.ts';
import { exfiltrationIn } from '../../../src/domain/audit/probe/tool-shape.ts';
import { simplePattern } from '../../../src/domain/audit/safe-pattern.ts';
import { deceptionsIn } from '../../../src/domain/audit/text/deception.ts';
import { behindEncoding } from '../../../src/domain/audit/text/decoded.ts';
import { hiddenIn } from '../../../src/domain/audit/text/hidden-characters.ts';
import { lookalikesIn } from '../../../src/domain/audit/text/lookalikes.ts';
import { overReachOf } from '../../../src/domain/audit/text/over-reach.ts';
import { suspicionOf } from '../../../src/domain/audit/text/text-check.ts';
import { shown } from '../../../src/domain/common/markup.ts';
import { joinAnswer, readableLine } from '../../../src/domain/common/readable.ts';
import { joinLines } from '../../../src/domain/common/text.ts';
import { plainName } from '../../../src/domain/company/names.ts';
import { sectionsOf } from '../../../src/domain/filing/sections.ts';
import { detectLevel } from '../../../src/domain/hosting/telemetry/log-level.ts';
import { textPattern } from '../../../src/domain/hosting/telemetry/log-pattern.ts';
import { pathShape } from '../../../src/domain/hosting/telemetry/request-path.ts';
import { parseRequestRow } from '../../../src/domain/hosting/telemetry/request-row.ts';
import { parseAccept } from '../../../src/domain/link/accept.ts';
import { findNamed } from '../../../src/domain/llm/near-values.ts';
import { canonicalUrl } from '../../../src/domain/news/story.ts';
import { folded, isAbout, topicOf } from '../../../src/domain/news/topic.ts';
import { cleanText } from '../../../src/domain/page/clean-text.ts';
import { parseText } from '../../../src/domain/panel/answer.ts';
import { oneLine } from '../../../src/domain/panel/marks.ts';
import { parseCheckpoint } from '../../../src/domain/proof/checkpoint.ts';
import { parseNote } from '../../../src/domain/proof/note.ts';
import { isQuoted } from '../../../src/domain/research/check.ts';
import { tellingWords } from '../../../src/domain/research/rank.ts';
import { textPassages } from '../../../src/domain/research/text-passages.ts';
import { keptParts, maskText, unmaskText } from '../../../src/domain/translation/masks.ts';
import { findNumbers } from '../../../src/domain/translation/numbers.ts';
import { adverseWordsOf } from '../../../src/domain/vetting/adverse.ts';
import { securityTextSeen } from '../../../src/domain/vetting/web-posture.ts';
import { cuesOf } from '../../../src/domain/video/cues.ts';
import { readWalletHeader } from '../../../src/domain/wallet/wallet-request.ts';
import { retryAfterMs } from '../../../src/providers/data/retry-after.ts';
import { evenRefusal } from '../../../src/providers/llm/refusal.ts';
import { guardPage } from '../../../src/providers/page/guard.ts';
import { atomEntries } from '../../../src/providers/research/atom-entries.ts';
import { linesAbout } from '../../../src/providers/research/lines-about.ts';
import { markupText } from '../../../src/providers/research/markup-text.ts';
import { htmlText } from '../../../src/providers/sentiment/html-text.ts';
import { vaderScorer } from '../../../src/providers/sentiment/vader-scorer.ts';
import { parseJson } from '../../../src/providers/target/messages.ts';
import { parseRequestHead, parseResponseHead } from '../../../src/router/head.ts';
import { factLines } from '../../../src/tools/hosting/answer.ts';
import { checkStatement } from '../../../src/tools/hosting/database/sql-guard.ts';
import { findAnchors } from '../../../src/tools/link/find-anchors.ts';
import { findLinks } from '../../../src/tools/link/find-links.ts';
import { queryValue } from '../../../src/transport/http/headers.ts';
import { readNames } from '../../../src/transport/mcp/call/tool-wishes.ts';
import { boundsFault } from '../../../src/transport/mcp/json-bounds.ts';

/** A function that reads a text of a stranger. */
export interface TextReader {
  readonly name: string;
  readonly read: (text: string) => unknown;
  /** Longest text that reaches it, in characters. */
  readonly charsMax: number;
  /** Characters that it reads in one turn, where it gives others theirs. */
  readonly turnChars?: number;
}

const KB = 1_024;
const MB = 1_048_576;
const parties = {
  boardJobId: 'job_1',
  claimantRole: 'buyer' as const,
  claimant: `0x${'ab'.repeat(20)}`,
  respondent: `0x${'cd'.repeat(20)}`,
  names: { claimant: ['Alpha Trading'], respondent: ['Beta'] },
};
const tool = (text: string) => ({
  name: text.slice(0, 200),
  description: text,
  inputSchema: { type: 'object', properties: { a: { type: 'string', description: text } } },
});
/** A schema with a member for each piece of a text, which leads back to the schema itself. */
const schema = (text: string) => {
  const names = text.match(/.{1,16}/gs) ?? [];
  const member = (name: string) => [name, { properties: { [name]: { $ref: '#' } } }] as const;
  return { type: 'object', required: names, properties: Object.fromEntries(names.map(member)) };
};

export const READERS: readonly TextReader[] = [
  { name: 'suspicionOf', read: (text) => suspicionOf(text), charsMax: WEIGHED.pieceCharsMax },
  { name: 'deceptionsIn', read: deceptionsIn, charsMax: SEARCHED.pieceCharsMax },
  { name: 'secretsIn', read: (text) => secretsIn(text), charsMax: 2 * SEARCHED.pieceCharsMax },
  { name: 'withoutSecrets', read: withoutSecrets, charsMax: 2_000 },
  { name: 'hiddenIn', read: hiddenIn, charsMax: SEARCHED.pieceCharsMax },
  { name: 'behindEncoding', read: behindEncoding, charsMax: SEARCHED.pieceCharsMax },
  { name: 'overReachOf', read: (text) => overReachOf(tool(text)), charsMax: 40_000 },
  { name: 'exfiltrationIn', read: (text) => exfiltrationIn(tool(text)), charsMax: 40_000 },
  {
    name: 'lookalikesIn',
    read: (text) => lookalikesIn({ tools: [tool(text), tool('x')], greeting: null }),
    charsMax: 40_000,
  },
  {
    name: 'slotsOf',
    read: (text) => slotsOf({ type: 'object', properties: { [text]: {} } }),
    charsMax: 40_000,
  },
  { name: 'listMembers', read: (text) => listMembers(schema(text)), charsMax: 40_000 },
  { name: 'fullArguments', read: (text) => fullArguments(schema(text), text), charsMax: 40_000 },
  {
    name: 'simplePattern',
    read: (text) => simplePattern(text)?.('a'.repeat(200)),
    charsMax: 40_000,
  },
  { name: 'guessFrom', read: (text) => guessFrom([text, `${text}1`]), charsMax: 32_768 },
  { name: 'wordsOfName', read: wordsOfName, charsMax: 40_000 },
  {
    name: 'answerText',
    read: (text) => answerText({ kind: 'result', result: parseJson(text), raw: text } as never),
    charsMax: MB,
  },
  {
    name: 'withoutNames',
    read: (text) => withoutNames(text, parties, 'claimant'),
    charsMax: 256 * KB,
  },
  { name: 'sectionsOf', read: sectionsOf, charsMax: 3_000_000 },
  { name: 'textPattern', read: (text) => textPattern(text), charsMax: 512 },
  { name: 'detectLevel', read: detectLevel, charsMax: 16 * KB },
  { name: 'pathShape', read: pathShape, charsMax: 8_192 },
  { name: 'parseRequestRow', read: parseRequestRow, charsMax: 16 * KB },
  { name: 'parseAccept', read: parseAccept, charsMax: 200 },
  { name: 'shown', read: shown, charsMax: 40_000 },
  { name: 'canonicalUrl', read: canonicalUrl, charsMax: 2_048 },
  { name: 'folded', read: folded, charsMax: 2_000 },
  { name: 'topicOf', read: topicOf, charsMax: 200 },
  { name: 'isAbout', read: (text) => isAbout(text, topicOf('a "b c" tariffs')), charsMax: 40_000 },
  { name: 'cleanText', read: cleanText, charsMax: 200_000 },
  { name: 'parseCheckpoint', read: parseCheckpoint, charsMax: 20_000 },
  { name: 'parseNote', read: parseNote, charsMax: 20_000 },
  { name: 'plainName', read: plainName, charsMax: 40_000 },
  {
    name: 'isQuoted',
    read: (text) => isQuoted(text.slice(0, text.length / 2), text),
    charsMax: 40_000,
  },
  { name: 'isQuoted short', read: (text) => isQuoted(text.slice(0, 300), text), charsMax: 20_000 },
  { name: 'tellingWords', read: tellingWords, charsMax: 40_000 },
  { name: 'textPassages', read: (text) => textPassages({ id: 'a', text }), charsMax: 40_000 },
  { name: 'joinLines', read: joinLines, charsMax: MB },
  { name: 'cuesOf srt', read: (text) => cuesOf(text, 'srt'), charsMax: 400_000 },
  { name: 'cuesOf json3', read: (text) => cuesOf(text, 'json3'), charsMax: 400_000 },
  {
    name: 'maskText',
    read: (text) => unmaskText(maskText(text).text, maskText(text).parts),
    charsMax: 6_000,
  },
  { name: 'keptParts', read: keptParts, charsMax: 18_000 },
  { name: 'findNumbers en', read: (text) => findNumbers(text, 'en'), charsMax: 18_000 },
  { name: 'findNumbers zh', read: (text) => findNumbers(text, 'zh'), charsMax: 18_000 },
  { name: 'adverseWordsOf', read: adverseWordsOf, charsMax: 1_000 },
  {
    name: 'securityTextSeen',
    read: (text) => securityTextSeen(text, 'a.example', 0),
    charsMax: 200_000,
  },
  { name: 'readWalletHeader', read: readWalletHeader, charsMax: 8_192 },
  {
    name: 'atomEntries',
    read: (text) => atomEntries(`<feed>${text}</feed>`),
    charsMax: 2_000_000,
    turnChars: 65_536,
  },
  {
    name: 'linesAbout',
    read: (text) => linesAbout(text, ['rates', 'of', 'banks']),
    charsMax: 400_000,
  },
  { name: 'markupText', read: markupText, charsMax: 2_000_000 },
  { name: 'htmlText', read: htmlText, charsMax: 2_000_000 },
  { name: 'guardPage', read: guardPage, charsMax: 5_000_000, turnChars: 65_536 },
  { name: 'retryAfterMs', read: (text) => retryAfterMs(text, 0), charsMax: 16 * KB },
  { name: 'vaderScorer', read: (text) => vaderScorer.score(text), charsMax: 40_000 },
  {
    name: 'parseRequestHead',
    read: (text) => parseRequestHead(`GET / HTTP/1.1\r\nhost: a\r\n${text}`),
    charsMax: 32_768,
  },
  {
    name: 'parseResponseHead',
    read: (text) => parseResponseHead(`HTTP/1.1 200 OK\r\n${text}`, 'GET'),
    charsMax: 32_768,
  },
  {
    name: 'findAnchors',
    read: (text) => findAnchors(text, new Set(['a'])),
    charsMax: 2_000_000,
    turnChars: 65_536,
  },
  { name: 'findLinks', read: (text) => findLinks(text, 50), charsMax: 50_000 },
  { name: 'factLines', read: (text) => factLines({ text, list: text.split(',') }), charsMax: MB },
  {
    name: 'checkStatement',
    read: (text) => checkStatement(text, { addIssue: () => undefined } as never),
    charsMax: 100_000,
  },
  {
    name: 'boundsFault',
    read: (text) => boundsFault(Buffer.from(text).subarray(0, 4 * MB)),
    charsMax: 4 * MB,
  },
  { name: 'readNames', read: readNames, charsMax: 16 * KB },
  { name: 'queryValue', read: (text) => queryValue(text, 'a'), charsMax: 16 * KB },
  {
    name: 'parseText',
    read: (text) => parseText(text, (value) => value as never),
    charsMax: 5_000_000,
  },
  { name: 'oneLine', read: oneLine, charsMax: 64 * KB },
  { name: 'readableLine', read: (text) => readableLine(text, text.length), charsMax: 64 * KB },
  { name: 'joinAnswer', read: (text) => joinAnswer([text], [text]), charsMax: 256 * KB },
  {
    name: 'findNamed',
    read: (text) => findNamed(text, [{ id: 'o1', name: 'Alpha' }]),
    charsMax: 128 * KB,
  },
  { name: 'evenRefusal', read: evenRefusal, charsMax: 64 * KB },
];
