import { Button } from '@mantine/core';
import {
  IconBookmark,
  IconBookmarkEdit,
  IconBookmarkPlus,
  IconCheck,
  IconChevronDown,
  IconDeviceFloppy,
} from '@tabler/icons-react';
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { Menu, MenuItem } from '../menu/menu.tsx';
import { toast } from '../toast/toast.ts';
import { contentOf, type SavedViews, type ViewsOf, viewQueryOf } from './saved-views.ts';
import classes from './views.module.css';

// Loaded on demand: views are changed seldom.
const ViewDialog = lazy(() => import('./view-dialog.tsx').then((m) => ({ default: m.ViewDialog })));

interface Props {
  of: ViewsOf;
  /** What the list shows: "devices". */
  noun: string;
  saved: SavedViews;
  /** The columns that the list shows besides its own. */
  columns: readonly string[];
}

/** The saved views of a list, and how to save the present one. */
export function ViewsMenu({ of, noun, saved: { views, current, open }, columns }: Props) {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const [dialog, setDialog] = useState<'new' | 'current'>();
  const present = viewQueryOf(address, columns);
  const isChanged = current !== undefined && current.query !== present;

  const update = () =>
    current &&
    perform(api.view.update({ ...contentOf(current), query: present }), {
      changed: ['view'],
      done: 'view has been updated',
    }).catch((error: unknown) => toast.error(error instanceof Error ? error.message : String(error)));

  return (
    <>
      <Menu
        label="Views"
        side="left"
        trigger={(trigger) => (
          <Button
            variant="default"
            className={classes.trigger ?? ''}
            leftSection={<IconBookmark size={16} />}
            rightSection={<IconChevronDown size={16} />}
            {...trigger}
          >
            {current ? current.name : 'Views'}
          </Button>
        )}
      >
        <div className={classes.views}>
          <MenuItem isChosen={current === undefined} mark={<IconCheck size={16} />} onChoose={() => open(undefined)}>
            {`All ${noun}`}
          </MenuItem>
          {views.map((view) => (
            <MenuItem
              key={view.id}
              isChosen={view === current}
              mark={<IconCheck size={16} />}
              onChoose={() => open(view)}
            >
              {view.name}
            </MenuItem>
          ))}
        </div>
        <div className={classes.changes}>
          {isChanged && (
            <MenuItem icon={<IconDeviceFloppy size={16} />} onChoose={() => void update()}>
              {`Save changes of "${current.name}"`}
            </MenuItem>
          )}
          {current && (
            <MenuItem icon={<IconBookmarkEdit size={16} />} onChoose={() => setDialog('current')}>
              {`Edit "${current.name}"`}
            </MenuItem>
          )}
          <MenuItem icon={<IconBookmarkPlus size={16} />} onChoose={() => setDialog('new')}>
            Save as a new view
          </MenuItem>
        </div>
      </Menu>
      {dialog && (
        <Suspense>
          <ViewDialog
            of={of}
            view={dialog === 'current' ? current : undefined}
            query={present}
            onClose={() => setDialog(undefined)}
            onOpen={open}
          />
        </Suspense>
      )}
    </>
  );
}
