import { stemWord } from '../news/topic.ts';
import type { DocumentQuery } from './document-search.ts';
import { contentWords } from './rank.ts';
import type { ResearchRequest } from './request.ts';

/** Maximum number of words per query, because longer queries find nothing. */
export const QUERY_WORDS_MAX = 6;
/** Maximum number of queries per source, including the topic. */
export const QUERIES_MAX = 4;

/** Sections of every brief, in addition to the questions. */
export const SECTIONS = ['mechanisms', 'alternatives', 'risks'] as const;
/** A section of a brief. */
export type Section = (typeof SECTIONS)[number];

/** A part of the request: a question, or a section of the brief. */
export interface ResearchPart {
  /** `q1`, `q2`, … or the name of a section. */
  readonly id: string;
  readonly title: string;
  /** Query by which passages are ranked. */
  readonly query: string;
  /** Stems of which title and passage together must contain most. */
  readonly topic: readonly string[];
  /** Stems of which the passage must contain some; empty if the topic is the question. */
  readonly specific: readonly string[];
  /** Pattern that the passage must match; `null` for a question. */
  readonly cue: RegExp | null;
}

/**
 * Returns the parts of a request, questions first. Without questions, the topic is the only
 * question.
 */
export function planParts({ topic, questions }: ResearchRequest): readonly ResearchPart[] {
  const topicStems = contentStems(topic);
  const askedQuestions = questions.length === 0 ? [topic] : questions;
  return [
    ...askedQuestions.map((question, at) => {
      const specific = contentStems(question).filter((stem) => !topicStems.includes(stem));
      const query = questions.length === 0 ? topic : `${question} ${topic}`;
      return { id: `q${at + 1}`, title: question, query, topic: topicStems, specific, cue: null };
    }),
    ...SECTIONS.map((id) => {
      const { words, cue } = SECTION_CUES[id];
      return { id, title: id, query: `${topic} ${words}`, topic: topicStems, specific: [], cue };
    }),
  ];
}

/** Returns the search queries: the topic, then the additional words of each question. */
export function planQueries({ topic, questions }: ResearchRequest): readonly DocumentQuery[] {
  const must = contentWords(topic).slice(0, QUERY_WORDS_MAX);
  const known = new Set(must.map(stemWord));
  const text = topic.replaceAll('"', ' ').replaceAll(/\s+/g, ' ').trim();
  const questionQueries = questions.flatMap((question) => {
    const any = contentWords(question).filter((word) => !known.has(stemWord(word)));
    const some = any.slice(0, QUERY_WORDS_MAX);
    return some.length === 0 ? [] : [{ text: [...must, ...some].join(' '), must, any: some }];
  });
  return [{ text, must, any: [] }, ...questionQueries].slice(0, QUERIES_MAX);
}

function contentStems(text: string): readonly string[] {
  return [...new Set(contentWords(text).map(stemWord))];
}

const SECTION_CUES: Readonly<Record<Section, { readonly words: string; readonly cue: RegExp }>> = {
  mechanisms: {
    words: 'mechanism works process method requires based causes algorithm',
    cue: compileCue([
      ...['works? (?:by|as|through)', 'mechanisms?', 'process(?:es)?', 'by means of', 'because'],
      ...['consists? of', 'causes?', 'leads? to', 'results? in', 'algorithms?', 'procedures?'],
      '(?:is|are) (?:used|based|designed|achieved|produced|caused|chosen|selected|driven)',
      ...['enables?', 'allows?', 'requires?'],
    ]),
  },
  alternatives: {
    words: 'alternative instead unlike compared contrast other approach substitute',
    cue: compileCue([
      ...['alternatives?', 'alternatively', 'instead', 'rather than', 'unlike', 'in contrast'],
      ...['compared (?:to|with)', 'contrasts? with', 'versus', 'vs', 'competing', 'competitors?'],
      ...['substitutes?', 'replac(?:es|ed|ing|ement)', 'as opposed to', 'in place of'],
      'other (?:approaches|methods|systems|options|techniques)',
    ]),
  },
  risks: {
    words: 'risk danger attack threat failure limitation drawback concern criticism',
    cue: compileCue([
      ...['risk\\w*', 'danger\\w*', 'vulnerab\\w*', 'attack\\w*', 'threat\\w*', 'harm\\w*'],
      ...['fail(?:s|ed|ures?)?', 'limitations?', 'drawbacks?', 'disadvantages?', 'concerns?'],
      ...['critic(?:s|ism|isms|ised|ized)', 'hazard\\w*', 'side effects?', 'adverse', 'toxic\\w*'],
      ...['loss(?:es)?', 'penalt\\w*', 'unsafe', 'insecure', 'problems?', 'weakness\\w*'],
    ]),
  },
};

function compileCue(patterns: readonly string[]): RegExp {
  return new RegExp(`\\b(?:${patterns.join('|')})\\b`, 'i');
}
