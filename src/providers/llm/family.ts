// Order matters: a distilled model has two names, and its base model determines its judgement.
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/claude/, 'claude'],
  [/llama|vicuna|alpaca/, 'llama'],
  [/qwen|qwq/, 'qwen'],
  [/mistral|mixtral|magistral|ministral|codestral|devstral/, 'mistral'],
  [/gemini/, 'gemini'],
  [/gemma/, 'gemma'],
  [/deepseek/, 'deepseek'],
  [/grok/, 'grok'],
  [/command-?[ra]|aya|c4ai|cohere/, 'command'],
  [/phi-?\d/, 'phi'],
  [/kimi|moonshot/, 'kimi'],
  [/glm/, 'glm'],
  [/nova-(micro|lite|pro|premier)/, 'nova'],
  [/granite/, 'granite'],
  [/minimax|abab/, 'minimax'],
  [/nemotron/, 'nemotron'],
  [/gpt|^o\d|\/o\d|chatgpt/, 'gpt'],
];

/**
 * Returns the model family for a model name, for diversity among panel seats. Default:
 * `vendor/model`.
 */
export function modelFamily(vendor: string, model: string): string {
  const name = model.toLowerCase();
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? `${vendor}/${model}`;
}
