import { canonicalJson, type JsonObject, toJson } from '../common/json.ts';
import { ICON_PATH } from '../manifest/icon.ts';
import { readListedPrice } from '../tool/listed-price.ts';
import type { ListedTool } from '../tool/tool.ts';
import { PAYMENT_EXTENSION_URI } from './payment.ts';
import { SKILL_FORM } from './task.ts';
import { A2A_MODES, A2A_PATH, A2A_VERSION } from './wire.ts';

/** The path of the agent card. */
export const AGENT_CARD_PATH = '/.well-known/agent-card.json';
/** The path of the public keys that sign the card. */
export const JWKS_PATH = '/.well-known/jwks.json';

/** A detached signature of the card (JWS). */
export interface CardSignature {
  readonly protected: string;
  readonly signature: string;
}

/** Signs agent cards. */
export interface CardSigner {
  /** The public keys (JWKS). */
  readonly jwks: JsonObject;
  /**
   * Signs the canonical JSON of a card.
   *
   * @param jku - Address of the public keys.
   */
  sign(payload: string, jku: string): CardSignature;
}

/** The facts of a card. */
export interface AgentCardFacts {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly version: string;
  readonly title: string;
  /** The tools that run as jobs. */
  readonly jobTools: readonly ListedTool[];
  /** The hosting tools. Empty if hosting is not served. */
  readonly hostingTools: readonly ListedTool[];
}

/**
 * Builds the agent card without its signature. Its skills are the jobs, and the hosting tools that
 * change something.
 */
function buildAgentCard(facts: AgentCardFacts): JsonObject {
  const { origin, version, title, jobTools, hostingTools } = facts;
  const changing = hostingTools.filter(({ annotations }) => !annotations.readOnlyHint);
  return toJson({
    name: title,
    description:
      'Agents buy decisions of panels, audits and reports here, and pay for each task by x402. ' +
      `Call a skill with a data part: ${SKILL_FORM}. A text gets the skills that fit it. Every ` +
      `tool at ${origin}/mcp is a skill too.`,
    version,
    supportedInterfaces: [
      { url: `${origin}${A2A_PATH}`, protocolBinding: 'JSONRPC', protocolVersion: A2A_VERSION },
    ],
    provider: { organization: title, url: `${origin}/` },
    documentationUrl: `${origin}/llms.txt`,
    iconUrl: `${origin}${ICON_PATH}`,
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extensions: [
        {
          uri: PAYMENT_EXTENSION_URI,
          description: 'A priced task asks for an x402 payment. Free skills need none.',
          required: false,
        },
      ],
    },
    defaultInputModes: A2A_MODES,
    defaultOutputModes: A2A_MODES,
    skills: [
      ...jobTools.map((tool) => buildSkill(tool)),
      ...changing.map((tool) => buildSkill(tool, [TOKEN_TAG])),
    ],
  });
}

/** Returns the card with its signature. */
export function signAgentCard(facts: AgentCardFacts, signer: CardSigner): JsonObject {
  const card = buildAgentCard(facts);
  const payload = canonicalJson(JSON.parse(JSON.stringify(card), dropDefault));
  return { ...card, signatures: [toJson(signer.sign(payload, `${facts.origin}${JWKS_PATH}`))] };
}

/** A signature does not cover the members whose value is the default of the protocol. */
function dropDefault(name: string, value: unknown): unknown {
  return name === 'required' && value === false ? undefined : value;
}

/**
 * The tag of the skills that need `Authorization: Bearer <operator token>`. The card declares no
 * security scheme, because the public client loses schemes before it verifies the signature.
 */
const TOKEN_TAG = 'operator token';
/** Longest description of a skill, in characters. */
const DESCRIPTION_CHARS_MAX = 240;

function buildSkill(
  { name: id, title: name, description, ...tool }: ListedTool,
  more: readonly string[] = [],
) {
  const price = readListedPrice({ name: id, title: name, description, ...tool });
  const [prefix = id] = id.split('_');
  return {
    id,
    name,
    description: shorten(description),
    tags: [prefix, price === undefined ? 'free' : `$${price}`, ...more],
  };
}

/** Cuts a description after the last whole sentence that fits. */
function shorten(description: string): string {
  const [text = ''] = description.split(' Also: ');
  if (text.length <= DESCRIPTION_CHARS_MAX) return text;
  const end = text.lastIndexOf('. ', DESCRIPTION_CHARS_MAX - 1);
  return end < 0 ? text.slice(0, DESCRIPTION_CHARS_MAX) : text.slice(0, end + 1);
}
