import { useCallback, useEffect, useRef } from "react";

/** What the tabs of this browser tell each other under a name. Gives what tells the others. */
export function useNotices<Notice>(
  name: string,
  onNotice: (notice: Notice) => void,
): (notice: Notice) => void {
  const latest = useRef(onNotice);
  latest.current = onNotice;
  const channel = useRef<BroadcastChannel>(undefined);
  useEffect(() => {
    const opened = new BroadcastChannel(name);
    channel.current = opened;
    opened.onmessage = ({ data }: MessageEvent<Notice>) => latest.current(data);
    return () => opened.close();
  }, [name]);
  return useCallback((notice: Notice) => channel.current?.postMessage(notice), []);
}
