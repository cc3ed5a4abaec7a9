import type { MulticastGroup } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { StayButton } from '../../components/form/stay-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { MulticastGroupForm } from './multicast-group-form.tsx';

export function MulticastGroupEdit() {
  const { organizationID, applicationID, multicastGroupID: id } = useIDs();
  const navigate = useNavigate();
  const update = (multicastGroup: MulticastGroup) =>
    perform(api.multicastGroup.update({ multicastGroup }), {
      changed: ['multicastGroup'],
      done: 'multicast-group has been updated',
    });
  return (
    <Loaded query={useQuery(query('multicastGroup', 'get', { id }))}>
      {({ multicastGroup }) => (
        <MulticastGroupForm
          key={id}
          initial={multicastGroup}
          submit="Update multicast-group"
          stayButton={StayButton}
          onSubmit={update}
          onSaved={() => void navigate({ to: paths.multicastGroup.one(organizationID, applicationID, id) })}
        />
      )}
    </Loaded>
  );
}
