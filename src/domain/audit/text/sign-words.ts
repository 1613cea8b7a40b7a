import { pattern } from '../pattern.ts';

/** Whoever a model works for, as part of a pattern. */
export const USER = [
  '(?:the |this |that |your |any )?(?:end[- ]?)?(?:users?|humans?|persons?|',
  'people|operators?|customers?|owner|caller|them|him|her|anyone|anybody|',
  'someone)',
].join('');

/** What a model is called, as part of a pattern. */
export const MODEL = ['(?:assistant|model|llm|agent|ai|language model|chatbot|copilot)'].join('');

/** What nobody gives away, as part of a pattern. */
export const SECRET = [
  '(?:passwords?|api[ _-]?keys?|(?:access |auth |bearer |session |refresh |',
  'security )?tokens?|secrets?|credentials?|private keys?|ssh keys?|id_(?:rsa|',
  'ed25519)|\\.env\\b|\\.aws/credentials|\\.ssh\\b|seed phrases?|cookies?|',
  'environment variables?|env(?:ironment)? vars?|system prompts?|mcp\\.json|',
  '\\.npmrc|\\.netrc|kubeconfig|key ?chains?|wallets?|card numbers?)',
].join('');

/** What was said before, as part of a pattern. */
export const TALK = [
  '(?:(?:full |entire |whole |complete |previous |prior |current |last |',
  'recent )*(?:conversations?|chats?|dialogue|messages?|prompts?|context|',
  'transcripts?)(?: (?:history|so far|log|window))?|chat history|(?:previous|',
  'prior|other|earlier) tool (?:results?|outputs?|calls?))',
].join('');

/** Words that order something to be taken or handed on, as part of a pattern. */
export const TAKE = [
  '(?:include|pass|send|attach|put|append|copy|add|forward|post|upload|insert|',
  'embed|encode|place|write|paste|provide|supply|read|fetch|load|collect|',
  'gather|extract|dump|transmit|submit|share|reveal|leak|exfiltrate|report|',
  'store|prepend|open|cat|retrieve|mirror|relay|quote|echo|list|set|fill)',
].join('');

/** Before an order, it makes an ordinary sentence of it. */
export const NEVER = pattern(
  'i',
  "\\b(?:never|do not|don't|don’t|must not|should not|shouldn't|cannot|",
  "can't|without|no|not|avoid|refuse[sd]?|reject(?:s|ed)?|block(?:s|ed)?|",
  'strip(?:s|ped)?|detects?|redact(?:s|ed)?|instead of)\\s+(?:\\w+\\s+){0,3}$',
);
