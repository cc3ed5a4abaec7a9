import { useQuery } from '@tanstack/react-query';
import edges from '../scroll-edges/scroll-edges.module.css';
import { useScrollEdges } from '../scroll-edges/use-scroll-edges.ts';
import classes from './filters.module.css';
import { countFilters, type ListCounts } from './list-filters.ts';

interface Props {
  of: ListCounts;
  search: string;
  /** The filters that are sent to the server. */
  filter: readonly string[];
  /** All filters of the address. */
  filters: readonly string[];
  onChange: (filters: string[]) => void;
  refreshMs: number | undefined;
}

/** How many rows are in each state, as buttons that show only those. On a phone they are one row that scrolls. */
export function CountButtons({ of, search, filter, filters, onChange, refreshMs }: Props) {
  const row = useScrollEdges<HTMLDivElement>();
  const own = countFilters(of);
  const others = (all: readonly string[]) => all.filter((one) => !own.includes(one));
  const read = of.read(search, others(filter));
  const { data, isError } = useQuery({
    ...read,
    placeholderData: (before) => before,
    ...(refreshMs !== undefined && { refetchInterval: refreshMs, staleTime: refreshMs }),
  });
  return (
    <div ref={row} role="group" aria-label="Show" className={`${classes.counts} ${edges.edges}`}>
      {/* Words without numbers would move when the numbers arrive. */}
      {(data || isError) &&
        of.buttons.map(({ name, word, filter: own = '', isRare }) => {
          const isActive = own === '' ? others(filters).length === filters.length : filters.includes(own);
          const count = data?.[name];
          if (isRare && !count && !isActive) return null;
          return (
            <button
              key={name}
              type="button"
              className={classes.count}
              aria-pressed={isActive}
              data-zero={count === 0 || undefined}
              onClick={() => onChange(own === '' || isActive ? others(filters) : [own, ...others(filters)])}
            >
              {`${word} `}
              {count !== undefined && <span className={classes.number}>{count.toLocaleString('en')}</span>}
            </button>
          );
        })}
    </div>
  );
}
