import type { MulticastGroup } from '@hilltop/contract';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { useCrumbs } from './crumbs.ts';
import { emptyGroup, MulticastGroupForm } from './multicast-group-form.tsx';

export function MulticastGroupCreate() {
  const { organizationID, applicationID } = useIDs();
  const navigate = useNavigate();
  const create = (multicastGroup: MulticastGroup) =>
    perform(api.multicastGroup.create({ multicastGroup }), {
      changed: ['multicastGroup'],
      done: 'multicast-group has been created',
    });
  return (
    <>
      <PageHeader crumbs={useCrumbs()} title="Create multicast-group" />
      <MulticastGroupForm
        initial={{ ...emptyGroup, applicationID }}
        isNew
        submit="Create multicast-group"
        onSubmit={create}
        onSaved={() => void navigate({ to: paths.multicastGroup.list(organizationID, applicationID) })}
      />
    </>
  );
}
