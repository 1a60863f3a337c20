/** 対局より遅れて公開される対局が、いつから見られるか。 */
import type { texts as english } from "~/i18n/en/shown";

export const texts: Record<keyof typeof english, string> = {
  "shown.startsIn": "公開まで {time}",
  "shown.now": "公開中",
  "shown.delayed": "{time} 遅れで公開",
  "shown.matchStartsIn": "この対局は、あと {time} で公開されます。公開されしだい、ここで始まります。",
  "shown.nextStartsIn": "次の対局は、あと {time} で公開されます。公開されしだい、ここで始まります。",
  "shown.replayLater": "ブロックが終わると、ここで再生できます。",
};
