import { Buffer } from 'node:buffer';
import { SEARCHED_BOUNDS, WEIGHED_BOUNDS } from '../../../src/actors/audit/session/text-pieces.ts';
import { anonymizeText } from '../../../src/domain/arbitration/anonymize.ts';
import {
  listMembers,
  listTextSlots,
  sampleFullArguments,
} from '../../../src/domain/audit/probe/arguments.ts';
import { findExfiltration } from '../../../src/domain/audit/probe/definition-defects.ts';
import { findSecrets, maskSecrets } from '../../../src/domain/audit/probe/secrets.ts';
import { findGuessableReason } from '../../../src/domain/audit/probe/session-guess.ts';
import { resultText } from '../../../src/domain/audit/probe/tool-result.ts';
import { splitName } from '../../../src/domain/audit/probe/tool-verbs.ts';
import { compileSimplePattern } from '../../../src/domain/audit/simple-pattern.ts';
import { findDeceptions } from '../../../src/domain/audit/text/deception.ts';
import { findHiddenCharacters } from '../../../src/domain/audit/text/hidden-characters.ts';
import { findLookalikes } from '../../../src/domain/audit/text/lookalikes.ts';
import { findOverreach } from '../../../src/domain/audit/text/overreach.ts';
import { decodeEncodedParts } from '../../../src/domain/audit/text/readings.ts';
import { assessText } from '../../../src/domain/audit/text/text-check.ts';
import { escapeHtml } from '../../../src/domain/common/markup.ts';
import { joinResponse, toReadableLine } from '../../../src/domain/common/readable.ts';
import { joinLines } from '../../../src/domain/common/text.ts';
import { normalizeName } from '../../../src/domain/company/names.ts';
import { splitSections } from '../../../src/domain/filing/sections.ts';
import { detectLevel } from '../../../src/domain/hosting/telemetry/log-level.ts';
import { compileTextPattern } from '../../../src/domain/hosting/telemetry/log-pattern.ts';
import { normalizePath } from '../../../src/domain/hosting/telemetry/request-path.ts';
import { parseRequestRow } from '../../../src/domain/hosting/telemetry/request-row.ts';
import { parseAccept } from '../../../src/domain/link/accept.ts';
import { findReferenced } from '../../../src/domain/llm/coerce.ts';
import { canonicalizeUrl } from '../../../src/domain/news/story.ts';
import { matchesTopic, normalizeText, parseTopic } from '../../../src/domain/news/topic.ts';
import { cleanText } from '../../../src/domain/page/clean-text.ts';
import { parseText } from '../../../src/domain/panel/answer.ts';
import { toOneLine } from '../../../src/domain/panel/delimiters.ts';
import { parseCheckpoint } from '../../../src/domain/proof/checkpoint.ts';
import { parseNote } from '../../../src/domain/proof/note.ts';
import { isQuoted } from '../../../src/domain/research/quotation.ts';
import { contentWords } from '../../../src/domain/research/rank.ts';
import { splitPassages } from '../../../src/domain/research/text-passages.ts';
import { listKeptParts, maskText, unmaskText } from '../../../src/domain/translation/masks.ts';
import { findNumbers } from '../../../src/domain/translation/numbers.ts';
import { findAdverseWords } from '../../../src/domain/vetting/adverse.ts';
import { checkSecurityText } from '../../../src/domain/vetting/web-posture.ts';
import { parseCues } from '../../../src/domain/video/cues.ts';
import { parseWalletHeader } from '../../../src/domain/wallet/wallet-request.ts';
import { parseRetryAfterMs } from '../../../src/providers/data/upstream-state.ts';
import { normalizeErrorBody } from '../../../src/providers/llm/error-body.ts';
import { checkPageSize } from '../../../src/providers/page/guard.ts';
import { parseAtomEntries } from '../../../src/providers/research/atom-entries.ts';
import { selectLines } from '../../../src/providers/research/filings.ts';
import { extractText } from '../../../src/providers/research/markup-text.ts';
import { extractHtmlText } from '../../../src/providers/sentiment/html-text.ts';
import { vaderScorer } from '../../../src/providers/sentiment/vader-scorer.ts';
import { parseJson } from '../../../src/providers/target/messages.ts';
import { parseRequestHead, parseResponseHead } from '../../../src/router/head.ts';
import { checkStatement } from '../../../src/tools/hosting/database/sql-guard.ts';
import { formatFacts } from '../../../src/tools/hosting/hosting-tool.ts';
import { findAnchors } from '../../../src/tools/link/find-anchors.ts';
import { findLinks } from '../../../src/tools/link/find-links.ts';
import { queryValue } from '../../../src/transport/http/headers.ts';
import { parseNames } from '../../../src/transport/mcp/call/tool-selection.ts';
import { checkBounds } from '../../../src/transport/mcp/json-bounds.ts';

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
  { name: 'suspicionOf', read: (text) => assessText(text), charsMax: WEIGHED_BOUNDS.pieceCharsMax },
  { name: 'deceptionsIn', read: findDeceptions, charsMax: SEARCHED_BOUNDS.pieceCharsMax },
  {
    name: 'secretsIn',
    read: (text) => findSecrets(text),
    charsMax: 2 * SEARCHED_BOUNDS.pieceCharsMax,
  },
  { name: 'withoutSecrets', read: maskSecrets, charsMax: 2_000 },
  { name: 'hiddenIn', read: findHiddenCharacters, charsMax: SEARCHED_BOUNDS.pieceCharsMax },
  { name: 'behindEncoding', read: decodeEncodedParts, charsMax: SEARCHED_BOUNDS.pieceCharsMax },
  { name: 'overReachOf', read: (text) => findOverreach(tool(text)), charsMax: 40_000 },
  { name: 'exfiltrationIn', read: (text) => findExfiltration(tool(text)), charsMax: 40_000 },
  {
    name: 'lookalikesIn',
    read: (text) => findLookalikes({ tools: [tool(text), tool('x')], greeting: null }),
    charsMax: 40_000,
  },
  {
    name: 'slotsOf',
    read: (text) => listTextSlots({ type: 'object', properties: { [text]: {} } }),
    charsMax: 40_000,
  },
  { name: 'listMembers', read: (text) => listMembers(schema(text)), charsMax: 40_000 },
  {
    name: 'fullArguments',
    read: (text) => sampleFullArguments(schema(text), text),
    charsMax: 40_000,
  },
  {
    name: 'simplePattern',
    read: (text) => compileSimplePattern(text)?.('a'.repeat(200)),
    charsMax: 40_000,
  },
  { name: 'guessFrom', read: (text) => findGuessableReason([text, `${text}1`]), charsMax: 32_768 },
  { name: 'wordsOfName', read: splitName, charsMax: 40_000 },
  {
    name: 'answerText',
    read: (text) => resultText({ kind: 'result', result: parseJson(text), raw: text } as never),
    charsMax: MB,
  },
  {
    name: 'withoutNames',
    read: (text) => anonymizeText(text, parties, 'claimant'),
    charsMax: 256 * KB,
  },
  { name: 'sectionsOf', read: splitSections, charsMax: 3_000_000 },
  { name: 'textPattern', read: (text) => compileTextPattern(text), charsMax: 512 },
  { name: 'detectLevel', read: detectLevel, charsMax: 16 * KB },
  { name: 'pathShape', read: normalizePath, charsMax: 8_192 },
  { name: 'parseRequestRow', read: parseRequestRow, charsMax: 16 * KB },
  { name: 'parseAccept', read: parseAccept, charsMax: 200 },
  { name: 'shown', read: escapeHtml, charsMax: 40_000 },
  { name: 'canonicalUrl', read: canonicalizeUrl, charsMax: 2_048 },
  { name: 'folded', read: normalizeText, charsMax: 2_000 },
  { name: 'topicOf', read: parseTopic, charsMax: 200 },
  {
    name: 'isAbout',
    read: (text) => matchesTopic(text, parseTopic('a "b c" tariffs')),
    charsMax: 40_000,
  },
  { name: 'cleanText', read: cleanText, charsMax: 200_000 },
  { name: 'parseCheckpoint', read: parseCheckpoint, charsMax: 20_000 },
  { name: 'parseNote', read: parseNote, charsMax: 20_000 },
  { name: 'plainName', read: normalizeName, charsMax: 40_000 },
  {
    name: 'isQuoted',
    read: (text) => isQuoted(text.slice(0, text.length / 2), text),
    charsMax: 40_000,
  },
  { name: 'isQuoted short', read: (text) => isQuoted(text.slice(0, 300), text), charsMax: 20_000 },
  { name: 'tellingWords', read: contentWords, charsMax: 40_000 },
  { name: 'textPassages', read: (text) => splitPassages({ id: 'a', text }), charsMax: 40_000 },
  { name: 'joinLines', read: joinLines, charsMax: MB },
  { name: 'cuesOf srt', read: (text) => parseCues(text, 'srt'), charsMax: 400_000 },
  { name: 'cuesOf json3', read: (text) => parseCues(text, 'json3'), charsMax: 400_000 },
  {
    name: 'maskText',
    read: (text) => unmaskText(maskText(text).text, maskText(text).parts),
    charsMax: 6_000,
  },
  { name: 'keptParts', read: listKeptParts, charsMax: 18_000 },
  { name: 'findNumbers en', read: (text) => findNumbers(text, 'en'), charsMax: 18_000 },
  { name: 'findNumbers zh', read: (text) => findNumbers(text, 'zh'), charsMax: 18_000 },
  { name: 'adverseWordsOf', read: findAdverseWords, charsMax: 1_000 },
  {
    name: 'securityTextSeen',
    read: (text) => checkSecurityText(text, 'a.example', 0),
    charsMax: 200_000,
  },
  { name: 'readWalletHeader', read: parseWalletHeader, charsMax: 8_192 },
  {
    name: 'atomEntries',
    read: (text) => parseAtomEntries(`<feed>${text}</feed>`),
    charsMax: 2_000_000,
    turnChars: 65_536,
  },
  {
    name: 'linesAbout',
    read: (text) => selectLines(text, ['rates', 'of', 'banks']),
    charsMax: 400_000,
  },
  { name: 'markupText', read: extractText, charsMax: 2_000_000 },
  { name: 'htmlText', read: extractHtmlText, charsMax: 2_000_000 },
  { name: 'guardPage', read: checkPageSize, charsMax: 5_000_000, turnChars: 65_536 },
  { name: 'retryAfterMs', read: (text) => parseRetryAfterMs(text, 0), charsMax: 16 * KB },
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
  { name: 'factLines', read: (text) => formatFacts({ text, list: text.split(',') }), charsMax: MB },
  {
    name: 'checkStatement',
    read: (text) => checkStatement(text, { addIssue: () => undefined } as never),
    charsMax: 100_000,
  },
  {
    name: 'boundsFault',
    read: (text) => checkBounds(Buffer.from(text).subarray(0, 4 * MB)),
    charsMax: 4 * MB,
  },
  { name: 'readNames', read: parseNames, charsMax: 16 * KB },
  { name: 'queryValue', read: (text) => queryValue(text, 'a'), charsMax: 16 * KB },
  {
    name: 'parseText',
    read: (text) => parseText(text, (value) => value as never),
    charsMax: 5_000_000,
  },
  { name: 'oneLine', read: toOneLine, charsMax: 64 * KB },
  { name: 'readableLine', read: (text) => toReadableLine(text, text.length), charsMax: 64 * KB },
  { name: 'joinAnswer', read: (text) => joinResponse([text], [text]), charsMax: 256 * KB },
  {
    name: 'findNamed',
    read: (text) => findReferenced(text, [{ id: 'o1', name: 'Alpha' }]),
    charsMax: 128 * KB,
  },
  { name: 'evenRefusal', read: normalizeErrorBody, charsMax: 64 * KB },
];
