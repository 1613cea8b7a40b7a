import type { JSX } from 'preact';

/** One tab of a resource's page. */
export interface HostedTab {
  readonly title: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

/** The tabs of a resource's page. */
export function HostedTabs({
  label,
  tabs,
}: {
  readonly label: string;
  readonly tabs: readonly HostedTab[];
}): JSX.Element {
  return (
    <nav class="hosted-tabs" aria-label={label}>
      <ul>
        {tabs.map(({ title, href, isCurrent }) => (
          <li key={href}>
            <a href={href} aria-current={isCurrent ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
