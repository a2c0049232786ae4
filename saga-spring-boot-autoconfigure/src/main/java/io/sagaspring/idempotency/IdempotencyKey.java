package io.sagaspring.idempotency;

import io.sagaspring.fence.LogText;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What makes two requests the same: who asks, on which account, with which request id, for which operation.
 *
 * <p>An operation that replaces its account is found without it: the client that repeats a reset may know only the account
 * that the reset has made, or only the one that is gone.
 *
 * @param owner who asks; the keys of one owner are nobody else's
 * @param account what it is about, as the application divides its data
 * @param requestId what the client chose, or null where it chose nothing
 * @param operation what is to be done, the same over all versions of the application
 * @param changesAccount whether the key is found without the account
 * @param fingerprint what else the request says, or null if that does not count
 * @since 0.1.0
 */
public record IdempotencyKey(
        String owner,
        String account,
        @Nullable String requestId,
        String operation,
        boolean changesAccount,
        @Nullable Fingerprint fingerprint) {

    /** Stands where there is no owner, and where there is no account. */
    public static final String NONE = "-";

    /** The most characters that any part may have. */
    public static final int LONGEST = 255;

    /**
     * Checks every part.
     *
     * @param owner who asks; the keys of one owner are nobody else's
     * @param account what it is about, as the application divides its data
     * @param requestId what the client chose, or null where it chose nothing
     * @param operation what is to be done, the same over all versions of the application
     * @param changesAccount whether the key is found without the account
     * @param fingerprint what else the request says, or null if that does not count
     * @throws InvalidKeyException if a part is empty, too long or has characters that are not allowed
     */
    public IdempotencyKey {
        requireText("owner", owner);
        requireText("account", account);
        requireText("operation", operation);
        if (requestId != null) {
            requireText("request id", requestId);
            requireVisible(requestId);
        }
    }

    /**
     * A key that belongs to nobody in particular and is about no account.
     *
     * @param operation what is to be done
     * @param requestId what the client chose, or null where it chose nothing
     * @return the key
     */
    public static IdempotencyKey of(String operation, @Nullable String requestId) {
        return new IdempotencyKey(NONE, NONE, requestId, operation, false, null);
    }

    /**
     * The key of an owner.
     *
     * @param owner who asks
     * @return a key like this one
     */
    public IdempotencyKey ownedBy(String owner) {
        return new IdempotencyKey(owner, account, requestId, operation, changesAccount, fingerprint);
    }

    /**
     * The key of an account.
     *
     * @param account what it is about
     * @return a key like this one
     */
    public IdempotencyKey onAccount(String account) {
        return new IdempotencyKey(owner, account, requestId, operation, changesAccount, fingerprint);
    }

    /**
     * The key of an operation that replaces its account.
     *
     * @return a key like this one, found without the account
     */
    public IdempotencyKey changingAccount() {
        return new IdempotencyKey(owner, account, requestId, operation, true, fingerprint);
    }

    /**
     * The key of a certain request.
     *
     * @param fingerprint what else the request says
     * @return a key like this one, refused for another request
     */
    public IdempotencyKey about(Fingerprint fingerprint) {
        return new IdempotencyKey(owner, account, requestId, operation, changesAccount, fingerprint);
    }

    /**
     * Finds the text that stands for a name in a key: of an owner, or of an account. No name is taken for none.
     *
     * @param name the name, or null where there is none
     * @return the name, {@link #NONE} for none, and one more dash for a name of dashes
     */
    public static String named(@Nullable String name) {
        if (name == null) {
            return NONE;
        }
        boolean isOfDashes = !name.isEmpty() && name.chars().allMatch(each -> each == NONE.charAt(0));
        return isOfDashes ? name + NONE : name;
    }

    /** One digest instead of four columns: an index that stays small, whatever clients send. */
    byte[] id() {
        return Fingerprint.of(owner, changesAccount ? "" : "=" + account, String.valueOf(requestId), operation)
                .bytes();
    }

    private static void requireText(String part, String text) {
        if (text.isBlank()) {
            throw new InvalidKeyException("The %s of an idempotency key is empty.".formatted(part));
        }
        if (text.length() > LONGEST) {
            throw new InvalidKeyException("The %s of an idempotency key has %d characters, and %d are allowed."
                    .formatted(part, text.length(), LONGEST));
        }
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidKeyException("The %s of an idempotency key has control characters.".formatted(part));
        }
        if (!isUnicode(text)) {
            throw new InvalidKeyException("The %s of an idempotency key is no valid Unicode.".formatted(part));
        }
    }

    /** Half a character has no bytes of its own: two texts would be one key. */
    private static boolean isUnicode(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    /** What looks the same must be the same, however a client or a proxy encodes it. */
    private static void requireVisible(String requestId) {
        if (!requestId.chars().allMatch(each -> each > ' ' && each <= '~')) {
            throw new InvalidKeyException(
                    "The request id of an idempotency key may have letters, digits and signs of ASCII only, and no spaces.");
        }
    }

    /** Without the request id, which whoever reads a log could use. */
    @Override
    public String toString() {
        return "key for '%s' of owner '%s' on account '%s'"
                .formatted(LogText.of(operation), LogText.of(owner), LogText.of(account));
    }
}
