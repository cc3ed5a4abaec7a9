import type { Operations } from '@hilltop/contract';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { perform } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { nounOf, type Resource } from '../../resources.ts';
import { useMay } from '../../session/session.tsx';
import { DeleteButton } from '../confirm/delete-button.tsx';
import { useIDs } from '../link/use-ids.ts';
import { showDeleted } from '../trash/deleted-toast.tsx';
import { remove } from './calls.ts';

interface Props {
  of: Resource;
  id: string;
  name: string;
  /** The user must type the name first. */
  mustType?: boolean;
  /** Additional text of the question. */
  warning?: string;
  /** What is deleted along with it, as text below the question. */
  note?: ReactNode;
  /** Other resources whose lists change. */
  gone?: (keyof Operations)[];
  /** Why other users may not delete it; without it they do not see the button. */
  forbidden?: string;
  /** Called after the deletion, before the list is shown. */
  onGone?: () => void;
}

/** The delete button of an object's page, for users with permission; it returns to the list. */
export function DeleteResource(props: Props) {
  const { of, id, name, mustType = false, warning, note, gone = [], forbidden, onGone } = props;
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  const isAllowed = useMay()(`${of}.delete`);
  if (!isAllowed && forbidden === undefined) return null;
  const question = `Are you sure you want to delete this ${nounOf(of)}?`;
  return (
    <DeleteButton
      question={warning === undefined ? question : `${question} ${warning}`}
      name={name}
      mustType={mustType}
      {...(note !== undefined && { note })}
      disabledReason={isAllowed ? undefined : forbidden}
      onDelete={async () => {
        await perform(remove(of, id), { gone: [of, ...gone] });
        void showDeleted({
          done: `${nounOf(of)} has been deleted`,
          recordID: id,
          organizationID: of === 'organization' ? undefined : organizationID,
        });
      }}
      onDone={() => {
        onGone?.();
        void navigate({ to: paths[of].list(organizationID) });
      }}
    />
  );
}
