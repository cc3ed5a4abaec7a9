import { AppLink } from './link.tsx';

interface Props {
  count: number | undefined;
  /** The list of what is counted, and the parameters of its address. */
  to: string;
  search?: Readonly<Record<string, string>>;
}

/** A number that leads to the list of what it counts; zero leads nowhere. */
export function CountLink({ count, to, search }: Props) {
  if (!count) return count;
  return (
    <AppLink to={to} {...(search && { search: search as never })}>
      {count.toLocaleString('en')}
    </AppLink>
  );
}
