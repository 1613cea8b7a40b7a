import { joinPattern } from '../join-pattern.ts';
import { NEGATION_BEFORE, USER } from './sign-words.ts';
import type { TextSign } from './text-signs.ts';

/** Pattern part: a prohibition. */
const PROHIBITION = [
  "\\b(?:do not|don't|don’t|never|must not|should not|may not|(?<!\\b(?:never|not|don't|cannot)\\b",
  "[^.!?\\n]{0,80})without|avoid|no need to|refrain from|needn't)\\s+(?:\\w+\\s+){0,2}?",
].join('');
/** Pattern part: actions, as opposed to content of a response. */
const ACTION = [
  '(?:this|that|these|those|it|any of|anything|nothing|what (?:you|was|is)|how|why|of (?:this|',
  'it)|(?:the|your|any|such) (?:\\w+ )?(?:calls?|',
  'steps?|requests?|tools?|cop(?:y|ies)|arguments?|parameters?|fields?|commands?|diff|changes?|',
  'instructions?|notes?|messages?|rules?|transfers?|uploads?|forwarding|actions?|use|file|',
  'existence|',
  'exchange|swap|server|process|reading|sending))\\b',
].join('');

/** Signs that a text hides something or impersonates another party. */
export const HIDING_SIGNS: readonly TextSign[] = [
  {
    sign: 'conceals from the user',
    weight: 6,
    form: joinPattern(
      'i',
      PROHIBITION,
      '(?:(?:tell|inform|notify|alert|bother|involv|worry|warn|let)(?:e|ing|',
      'ying)?\\s+(?:\\w+\\s+)?',
      USER,
      '\\b(?! (?:but|except|other than|how|to) )|(?:bother|trouble) to tell\\b|(?:tell|mention|',
      'inform|reveal|show|disclos|',
      'notify|alert|let|explain|report|display|say|surfac|describ|announc|bother|involv|expos|',
      'discuss|acknowledg|',
      'warn|worry|bring|talk about|narrat|summari[sz]|repeat(?! it word))(?:e|ing|',
      'ying)?\\s+(?:of |about |up |on |to )*',
      ACTION,
      '[^.!?\\n]{0,60}\\b',
      USER,
      '\\b|(?:mention|talk about|discuss|say|reveal|report)(?:ing)?\\b[^.!?\\n]{0,40}\\bto ',
      USER,
      '\\b)(?![^.!?\\n]{0,60}\\b(?:until|unless|before (?:they|he|she|the))\\b)',
    ),
  },
  {
    sign: 'conceals its own actions',
    weight: 5,
    form: joinPattern(
      'i',
      "\\b(?:do not|don't|don’t|never|without)\\s+(?:\\w+\\s+){0,2}?(?:mention|",
      'reveal|disclos|tell|show|refer|acknowledg|discuss|describ|explain|expos|',
      'includ|repeat|log|display|talk about|bring up|narrat)(?:e|es|ing|',
      'ed)?\\b[^.!?\\n]{0,25}\\b(?:this|these|that|the (?:above|following|note|',
      'step|instructions?|parameter|field|copy|message|forward(?:ing)?|call|',
      'existence))\\b(?! (?:error|tool (?:for|to|on|when|if|until|unless))\\b)',
    ),
  },
  {
    sign: 'acts in secret',
    weight: 4,
    form: joinPattern(
      'i',
      '\\b(?:silently|secretly|quietly|covertly|discreetly|invisibly|unobtrusively|',
      'in (?:secret|the background without)|behind the scenes|hidden from|',
      'out of sight|keep (?:this|it|that|these) (?:\\w+ )?(?:secret|hidden|private|',
      'quiet|confidential|between us|to yourself|out of)|(?:invisible|unknown) to|',
      'must (?:not|never) (?:know|see|notice|learn|find out|be (?:told|shown|',
      'informed|aware))|(?:users?|they|he|she) (?:does|do|should|need|must|will|',
      "may|can)(?:n't| not|n’t)? (?:not )?(?:need to |have to )?(?:know|see|",
      'notice|be (?:told|informed|aware|asked|shown)))\\b',
    ),
    isOrdinaryAfter: /\b(?:never|not|no longer|nothing is|isn't|instead of) (?:\w+ ){0,2}$/i,
  },
  {
    sign: 'impersonates the system',
    weight: 5,
    form: joinPattern(
      'i',
      '(?<![\\w:/])</?(?:important|system|secret|hidden|instructions?|admin|assistant|critical|',
      'user|tool_?(?:use|call|result)?|internal|priority|override|mandatory|',
      'note_to_\\w+|rules?|policy|developer|sys|s|im_start|begin|prompt|context|',
      'function_calls?|directive|security|notice|attention|urgent|command|',
      'thinking)\\b[^<>]{0,60}>|<\\|[a-z_]+\\|>|\\[/?(?:system|inst|admin|',
      'instructions?|important|hidden|override|assistant|developer|internal|',
      'note to (?:the )?(?:ai|assistant|model|agent|llm))[^\\]]{0,40}\\]|(?:^|\\n|',
      '\\. )[^\\S\\n]*#{1,4}[^\\S\\n]*(?:system|instructions?|new instructions?|hidden|',
      'override|admin|important(?=\\s*(?:$|[\\n:!]|instruction)))\\b|(?:^|\\n|',
      '[.!?] )[^\\S\\n]*(?:system|assistant|',
      'developer|admin)(?: (?:message|prompt|note|override|notice|instructions?|',
      'update))?\\s*:|\\bBEGIN (?:SYSTEM|INSTRUCTIONS?|HIDDEN|ADMIN)|',
      '(?<!=)={3,}\\s*(?:system|instructions?)|\\{\\{\\s*#?(?:system|instructions?)',
    ),
  },
  {
    sign: 'hides in a comment',
    weight: 4,
    form: joinPattern(
      'i',
      '<!--(?:(?!<!--)[\\s\\S]){12,}?-->|\\[//\\]: #|<(?:span|div|p|',
      'font)(?=[^<>]*>)[^<>]*(?:display:\\s*none|font-size:\\s*0|color:\\s*(?:white|#fff)|',
      'hidden)|/\\*[^*]{20,}\\*/',
    ),
  },
  {
    sign: 'creates urgency',
    weight: 1,
    form: joinPattern(
      'i',
      '\\b(?:important|critical|mandatory|crucial|urgent|warning|attention|',
      'must always|strictly|absolutely|immediately|or else|will (?:fail|break|',
      'be (?:lost|rejected|deleted|corrupted|suspended|terminated))|otherwise the|',
      'essential)\\b',
    ),
  },
  {
    sign: 'embeds a third-party image',
    weight: 4,
    form: joinPattern('i', '!\\[[^\\]\\n]{0,60}\\]\\(\\s*https?://|<img\\b[^>]{0,80}src\\s*='),
  },
  {
    sign: 'substitutes user input',
    weight: 5,
    form: joinPattern(
      'i',
      '\\b(?:replace|change|swap|substitute|exchange|alter|rewrite|set|answer with|',
      'use|give|enter|put|redirect|go to|send)\\b[^.!?\\n]{0,70}\\b(?:in its place|',
      'in (?:the )?place of|instead of (?:the (?:one|real|given|original)|what|',
      'that)|(?:that|which) (?:the )?users? (?:gave|named|asked|entered|wanted|',
      'meant|typed)|the (?:one )?(?:users?|caller) (?:gave|named|entered|typed)|',
      'in their calls?|without (?:a word|comment|saying|telling|notice))\\b|',
      '\\b(?:silently|quietly|secretly|unnoticed) (?:\\w+ ){0,2}?(?:replace|change|',
      'swap|add|send|call|copy|repeat|substitute|run|set|include|forward|',
      'remove)\\b|\\bround (?:each|every|all|the|any)\\b[^.!?\\n]{0,30}\\b(?:up|',
      'down)\\b[^.!?\\n]{0,40}\\bdifference\\b|\\b(?:need|needs|must|should|',
      'may) not be (?:reported|mentioned|logged|shown|told|listed|named)\\b',
    ),
    isOrdinaryAfter: NEGATION_BEFORE,
  },
  {
    sign: 'lies when asked',
    weight: 6,
    form: joinPattern(
      'i',
      '\\b(?:deny (?:it|this|that|everything|any)|(?:when|if) (?:they|you are|he|',
      'she|the user|anyone|somebody|someone)?\\s?(?:asks?|asked|questioned|',
      'inquires?)\\b(?! (?:for|to|you to))[^.!?\\n]{0,60}\\b(?:say|claim|deny|answer|tell|',
      'pretend|reply|',
      'insist|respond)\\b|(?:claim|tell (?:them|the user|him)|pretend|insist|',
      'report) (?:that )?(?:only|nothing|it was|it is|there (?:was|is|were)|all is|',
      'everything is|no)\\b|say (?:that )?(?:only|nothing|all is|',
      'everything is)\\b[^.!?\\n]{0,60}|keep (?:quiet|silent|mum) about|',
      'act (?:as if|like) nothing|without (?:a word|comment)\\b)',
    ),
    isOrdinaryAfter: NEGATION_BEFORE,
  },
  {
    sign: 'gives a model an outside address',
    weight: 3,
    form: joinPattern(
      'i',
      '\\b(?:load|open|call|fetch|request|include|embed|insert|render|link|ping|',
      'visit|put|upload|add|post|send|replace|copy|use|set|bcc|cc|go (?:to|over)|',
      'forward|remember|store|answer|',
      'have)\\b[^.!?\\n]{0,80}(?:https?://(?!(?:docs?|developer|www|github|',
      'example)\\.)[^\\s"\'<>)]+|[\\w.+-]+@[\\w-]+\\.[\\w.-]+)',
    ),
    isOrdinaryAfter: /\b(?:for example|e\.g\.|such as|like|see|example:)\s*(?:\S+\s+){0,3}$/i,
  },
  {
    sign: 'contains a shell command',
    weight: 5,
    form: joinPattern(
      'i',
      '(?:[;&|]{1,2}|\\$\\(|(?<!`)`(?!`))\\s*(?:curl|wget|nc|bash|sh|python3?|rm|chmod|cat|',
      'echo|powershell|base64|eval|env)(?=\\s+[^\\s,;.])|\\b(?:curl|wget)\\b[^\\n]{0,120}\\|\\s*(',
      '?:ba|z)?sh\\b|\\brm -rf\\b|\\bbase64 -d\\b',
    ),
  },
];
