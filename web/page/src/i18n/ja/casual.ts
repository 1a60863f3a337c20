/** A seat against somebody's bot, and the setting by which its author allows that. */
export const texts = {
  "casual.offer": "{bot} と対戦できます。レーティングには関わらず、すぐに始まります。",
  "casual.play": "{game}で対戦する",
  "casual.absent": "{bot} は対戦を受け付けていますが、作者のプログラムが今は接続していません。",
  "casual.again": "もう一度調べる",
  "casual.closed": "作者は、このボットとの自由な対戦を受け付けていません。",
  "casual.uploaded":
    "アップロードされたボットです。アリーナの組んだ対戦でだけ動くため、席に着いて対戦することはできません。",
  "casual.notAPlayer": "作者や主催者は席に着けません。サインアウトするか、ボットのトークンを使ってください。",
  "casual.noGuests": "ここではゲストとして遊べません。対戦するにはサインインしてください。",
  "casual.setting": "自由な対戦",
  "casual.settingMeans":
    "選んだゲームで、ゲストを含む誰もがあなたのボットと対戦できます。レーティングには関わりません。受け付けをやめても、始まった対戦は続きます。",
  "casual.atOnce": "同時に受け付ける対戦の数",
  "casual.save": "このとおり受け付ける",
  "casual.off": "受け付けない",
  "casual.savedGames": "{bot} との対戦を受け付けています。",
  "casual.savedNone": "{bot} との対戦の受け付けをやめました。",
} as const;
