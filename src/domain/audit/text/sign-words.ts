import { joinPattern } from '../join-pattern.ts';

/** Pattern part: the people for whom a model works. */
export const USER = [
  '(?:the |this |that |your |any )?(?:end[- ]?)?(?:users?|humans?|persons?|',
  'people|operators?|customers?|owner|caller|them|him|her|anyone|anybody|',
  'someone)',
].join('');

/** Pattern part: names for a model. */
export const MODEL = ['(?:assistant|model|llm|agent|ai|language model|chatbot|copilot)'].join('');

/** Pattern part: secrets. */
export const SECRET = [
  '(?:passwords?|api[ _-]?keys?|(?:access |auth |bearer |session |refresh |',
  'security )?tokens?|secrets?|credentials?|private keys?|ssh keys?|id_(?:rsa|',
  'ed25519)|\\.env\\b|\\.aws/credentials|\\.ssh\\b|seed phrases?|cookies?|',
  'environment variables?|env(?:ironment)? vars?|system prompts?|mcp\\.json|',
  '\\.npmrc|\\.netrc|kubeconfig|key ?chains?|wallets?|card numbers?)',
].join('');

/** Pattern part: conversation content. */
export const CONVERSATION_PATTERN = [
  '(?:(?:full |entire |whole |complete |previous |prior |current |last |',
  'recent )*(?:conversations?|chats?|dialogue|messages?|prompts?|context|',
  'transcripts?)(?: (?:history|so far|log|window))?|chat history|(?:previous|',
  'prior|other|earlier) tool (?:results?|outputs?|calls?))',
].join('');

/** Pattern part: verbs that take or transfer something. */
export const TAKING_VERB = [
  '(?:include|pass|send|attach|put|append|copy|add|forward|post|upload|insert|',
  'embed|encode|place|write|paste|provide|supply|read|fetch|load|collect|',
  'gather|extract|dump|transmit|submit|share|reveal|leak|exfiltrate|report|',
  'store|prepend|open|cat|retrieve|mirror|relay|quote|echo|list|set|fill)',
].join('');

/** Words before an order that make the sentence ordinary. */
export const NEGATION_BEFORE = joinPattern(
  'i',
  "\\b(?:never|do not|don't|don’t|must not|should not|shouldn't|cannot|",
  "can't|without|no|not|avoid|refuse[sd]?|reject(?:s|ed)?|block(?:s|ed)?|",
  'strip(?:s|ped)?|detects?|redact(?:s|ed)?|instead of)\\s+(?:\\w+\\s+){0,3}$',
);
