import { z } from 'zod';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Topic } from '../../domain/news/topic.ts';
import { cleanText } from '../../domain/page/clean-text.ts';
import type { Opinion, OpinionChannels } from '../../domain/sentiment/opinion-channels.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import type { UpstreamId } from '../data/upstreams.ts';
import { extractHtmlText } from './html-text.ts';

/** Most opinions per channel. */
export const OPINIONS_MAX = 100;

interface Channel {
  readonly id: UpstreamId;
  path(topic: Topic): string;
  /** Returns `undefined` if the answer is malformed. */
  opinions(body: unknown): readonly Opinion[] | undefined;
}

const HackerNews = z.object({
  hits: z.array(
    z.object({
      objectID: z.string(),
      created_at_i: z.int(),
      author: z.string().nullish(),
      title: z.string().nullish(),
      story_text: z.string().nullish(),
      comment_text: z.string().nullish(),
    }),
  ),
});

const Mastodon = z.array(
  z.object({
    url: z.url().nullish(),
    uri: z.string(),
    created_at: z.iso.datetime(),
    content: z.string(),
    language: z.string().nullish(),
    account: z.object({ acct: z.string(), bot: z.boolean().optional() }),
  }),
);

const Lemmy = z.object({
  posts: z.array(
    z.object({
      post: z.object({
        name: z.string(),
        body: z.string().nullish(),
        ap_id: z.url(),
        published: z.string(),
      }),
      creator: z.object({ actor_id: z.string(), bot_account: z.boolean().optional() }),
    }),
  ),
  comments: z.array(
    z.object({
      comment: z.object({ content: z.string(), ap_id: z.url(), published: z.string() }),
      creator: z.object({ actor_id: z.string(), bot_account: z.boolean().optional() }),
    }),
  ),
});

const toQuery = ({ terms, phrases }: Topic) =>
  [...phrases.map((phrase) => `"${phrase}"`), ...terms].join(' ');

const CHANNELS: readonly Channel[] = [
  {
    id: 'hackernews',
    path: (topic) => {
      const query = new URLSearchParams({
        query: toQuery(topic),
        tags: '(story,comment)',
        hitsPerPage: String(OPINIONS_MAX),
      });
      return `/api/v1/search_by_date?${query.toString()}`;
    },
    opinions: (body) =>
      HackerNews.safeParse(body).data?.hits.map((hit) => ({
        text: extractHtmlText(
          [hit.title, hit.story_text, hit.comment_text].filter(Boolean).join('. '),
        ),
        url: `https://news.ycombinator.com/item?id=${encodeURIComponent(hit.objectID)}`,
        publishedAt: hit.created_at_i * SECOND_MS,
        author: hit.author ?? null,
        isBot: false,
        lang: null,
      })),
  },
  {
    id: 'mastodon',
    // A tag is one word, so the words of the topic are joined.
    path: ({ terms, phrases }) => {
      const tag = [...phrases, ...terms].join(' ').replaceAll(' ', '');
      return `/api/v1/timelines/tag/${encodeURIComponent(tag)}?limit=40`;
    },
    opinions: (body) =>
      Mastodon.safeParse(body).data?.map((post) => ({
        text: extractHtmlText(post.content),
        url: post.url ?? post.uri,
        publishedAt: Date.parse(post.created_at),
        author: post.account.acct,
        isBot: post.account.bot ?? false,
        lang: post.language ?? null,
      })),
  },
  {
    id: 'lemmy',
    path: (topic) => {
      const query = { q: toQuery(topic), type_: 'All', sort: 'New', limit: '50' };
      return `/api/v3/search?${new URLSearchParams(query).toString()}`;
    },
    opinions: (body) => {
      const found = Lemmy.safeParse(body).data;
      const posts = found?.posts.map(({ post, creator }) => ({
        text: extractHtmlText([post.name, post.body].filter(Boolean).join('. ')),
        url: post.ap_id,
        publishedAt: parseLemmyTime(post.published),
        author: creator.actor_id,
        lang: null,
        isBot: creator.bot_account ?? false,
      }));
      const comments = found?.comments.map(({ comment, creator }) => ({
        text: extractHtmlText(comment.content),
        url: comment.ap_id,
        lang: null,
        publishedAt: parseLemmyTime(comment.published),
        author: creator.actor_id,
        isBot: creator.bot_account ?? false,
      }));
      return posts === undefined || comments === undefined ? undefined : [...posts, ...comments];
    },
  },
];

/** Creates the reader of opinions from public channels that need no key. */
export function createPublicChannels(reader: UpstreamReader): OpinionChannels {
  return {
    channels: CHANNELS.map(({ id }) => id),
    read: ({ channel: id, topic, deadline }) => {
      const channel = CHANNELS.find((one) => one.id === id) ?? (CHANNELS[0] as Channel);
      const request = { upstream: channel.id, path: channel.path(topic), deadline };
      return reader.read(request, (answer) => {
        const found = answer.status === 200 ? channel.opinions(answer.json()) : undefined;
        const isSound = found?.every(({ publishedAt }) => publishedAt > 0) ?? false;
        if (found === undefined || !isSound) {
          const why = `HTTP ${answer.status} without valid posts.`;
          return { fault: 'upstream_bad_payload', why };
        }
        return { value: found.slice(0, OPINIONS_MAX).map(cleanOpinion) };
      });
    },
  };
}

function cleanOpinion(opinion: Opinion): Opinion {
  return { ...opinion, text: cleanText(opinion.text).text };
}

/** Parses a time of Lemmy, which is in UTC even if older versions do not state it. */
function parseLemmyTime(text: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
}
