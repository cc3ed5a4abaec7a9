import { IconPlus } from '@tabler/icons-react';
import type { ComponentProps, ReactNode } from 'react';
import { paths } from '../../paths.ts';
import { iconOf } from '../../resource-icons.ts';
import { type Resource, titleOf } from '../../resources.ts';
import { useMay } from '../../session/session.tsx';
import { LinkButton } from '../link/link.tsx';
import { useIDs } from '../link/use-ids.ts';
import { ResourceList } from '../list/resource-list.tsx';
import { PageHeader } from '../page-header/page-header.tsx';
import { Explained } from '../words/explained.tsx';
import { type WordName, words } from '../words/words.ts';
import classes from './list-page.module.css';

type ListProps<Row, Field extends string> = ComponentProps<typeof ResourceList<Row, Field>>;

interface Props<Row, Field extends string>
  extends Pick<
    ListProps<Row, Field>,
    | 'query'
    | 'columns'
    | 'search'
    | 'filters'
    | 'optional'
    | 'views'
    | 'refreshMs'
    | 'selection'
    | 'canSelectAll'
    | 'toolbar'
  > {
  of: Resource;
  verb?: 'Create' | 'Add';
  /** What the resource is for, shown while the list is empty. */
  purpose: string;
  /** What can be done with the selected rows. */
  bar?: ReactNode;
  /** The primary action of the header, before the create button. */
  actions?: ReactNode;
  /** The menu of rare actions, after the create button. */
  more?: ReactNode;
}

const isExplained = (of: Resource): of is Resource & WordName => Object.hasOwn(words, of);

/** The list page of a resource. Only users with permission see the create button. */
export function ListPage<Row extends { id: string }, Field extends string = never>(props: Props<Row, Field>) {
  const { of, verb = 'Create', purpose, actions, more, bar, ...list } = props;
  const { organizationID } = useIDs();
  const title = titleOf(of);
  const Icon = iconOf[of];
  const mayCreate = useMay()(`${of}.create`);
  const beside = actions && { variant: 'default', className: classes.beside, title: 'All settings in one form' };
  const create = (look: object) =>
    mayCreate && (
      <LinkButton to={paths[of].create(organizationID)} leftSection={<IconPlus size={16} />} {...look}>
        {verb}
      </LinkButton>
    );
  return (
    <>
      <PageHeader
        title={title}
        actions={
          <>
            {actions}
            {create({ ...beside })}
            {more}
          </>
        }
      />
      {isExplained(of) && <Explained word={of} mb="sm" />}
      <ResourceList
        {...list}
        actions={bar}
        label={title}
        rowKey={({ id }) => id}
        empty={{
          icon: <Icon size={32} />,
          title: `No ${title.toLowerCase()} yet`,
          text: purpose,
          action: create(actions ? { variant: 'default' } : {}),
        }}
      />
    </>
  );
}
