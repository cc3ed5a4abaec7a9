import { IconDevices } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { MenuItem } from '../components/menu/menu.tsx';
import { paths } from '../paths.ts';

/** The menu item for the user's sessions; older servers do not have them. */
export function SessionsItem() {
  const navigate = useNavigate();
  const { data: isOffered } = useQuery({
    queryKey: ['offered', 'session'],
    queryFn: () => api.session.list.isOffered(),
    staleTime: Infinity,
  });
  if (!isOffered) return null;
  return (
    <MenuItem icon={<IconDevices size={16} />} onChoose={() => void navigate({ to: paths.sessions() })}>
      Sessions
    </MenuItem>
  );
}
