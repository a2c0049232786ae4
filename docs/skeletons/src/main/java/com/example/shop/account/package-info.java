/** Accounts, which are credited once for each key. Start reading at {@link AccountController}. */
@NullMarked
package com.example.shop.account;

import org.jspecify.annotations.NullMarked;
