import type { ToolDetails } from '../../domain/tool/tool.ts';
import type { ResourceReader } from './resource-reader.ts';

const TEMPLATE = {
  uriTemplate: 'stoa://tools/{name}',
  name: 'Tool in full',
  description: 'The documentation, example and whole schemas of a tool. Listings are shortened.',
  mimeType: 'application/json',
} as const;
const ADDRESS = /^stoa:\/\/tools\/([A-Za-z0-9_-]{1,64})$/;

/** Creates the resource that documents each tool in full. */
export function toolResource(describe: (name: string) => ToolDetails | undefined): ResourceReader {
  return {
    template: TEMPLATE,
    read: async (uri) => {
      const name = ADDRESS.exec(uri)?.[1];
      const tool = name === undefined ? undefined : describe(name);
      if (tool === undefined) return undefined;
      return { uri, mimeType: TEMPLATE.mimeType, text: JSON.stringify(tool) };
    },
  };
}
