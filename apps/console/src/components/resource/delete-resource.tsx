import type { Operations } from '@hilltop/contract';
import { useNavigate } from '@tanstack/react-router';
import { perform } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { nounOf, type Resource } from '../../resources.ts';
import { useMay } from '../../session/session.tsx';
import { DeleteButton } from '../confirm/delete-button.tsx';
import { useIDs } from '../link/use-ids.ts';
import { remove } from './calls.ts';

interface Props {
  of: Resource;
  id: string;
  name: string;
  /** The name must be typed first. */
  mustType?: boolean;
  /** More to the question. */
  warning?: string;
  /** What goes along with it, said below the question. */
  note?: string;
  /** Of what goes along with it, what lists show. */
  gone?: (keyof Operations)[];
  /** Why others may not: without it they do not see the button. */
  forbidden?: string;
  /** Called when it is gone, before the list is shown. */
  onGone?: () => void;
}

/** The button that deletes what the page is about, for who may; it leads back to the list. */
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
      onDelete={() => perform(remove(of, id), { gone: [of, ...gone], done: `${nounOf(of)} has been deleted` })}
      onDone={() => {
        onGone?.();
        void navigate({ to: paths[of].list(organizationID) });
      }}
    />
  );
}
