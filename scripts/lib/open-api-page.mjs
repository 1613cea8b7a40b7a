import { nothing } from './nothing.mjs';

/** The OpenAPI document of the hosting API, as it is served. */
export function openApiPage({ apiRoutes, openApiDocument }) {
  const routes = apiRoutes({ provider: nothing, clock: nothing });
  return `${JSON.stringify(openApiDocument(routes), undefined, 2)}\n`;
}
