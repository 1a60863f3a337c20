/** Tells the gateway that this page calls: another site's page cannot set it, so a cookie alone does nothing (CSRF). */
export const FROM_THIS_PAGE = { "x-fudaba-page": "1" };
