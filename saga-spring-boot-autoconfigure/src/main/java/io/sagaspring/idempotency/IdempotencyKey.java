package io.sagaspring.idempotency;

import io.sagaspring.fence.LogText;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An idempotency key. Two requests are the same if owner, account, request id and operation are equal.
 *
 * <p>A key also belongs to the tenant of its caller. No two tenants share a key, even if all other parts of their keys
 * are equal.
 *
 * <p>An operation may replace its account by another, such as a reset that closes one account and opens a new one. The
 * key of such an operation is found without the account, because a client that repeats the request may know only one of
 * the two accounts.
 *
 * @param owner the user to whom the key belongs; no other owner can use it
 * @param account the part of the application's data that the request changes
 * @param requestId the id that the client has chosen, or null if there is none
 * @param operation the name of the operation, the same in all versions of the application
 * @param changesAccount true if the operation replaces its account by another; the key is then found without the
 *     account
 * @param fingerprint the digest of the request's content, or null if the content is not compared
 * @since 0.1.0
 */
public record IdempotencyKey(
        String owner,
        String account,
        @Nullable String requestId,
        String operation,
        boolean changesAccount,
        @Nullable Fingerprint fingerprint) {

    /** The value that stands for no owner, or no account. */
    public static final String NONE = "-";

    /** The largest allowed number of characters of a part. */
    public static final int LONGEST = 255;

    /**
     * Checks every part.
     *
     * @param owner the user to whom the key belongs; no other owner can use it
     * @param account the part of the application's data that the request changes
     * @param requestId the id that the client has chosen, or null if there is none
     * @param operation the name of the operation, the same in all versions of the application
     * @param changesAccount true if the operation replaces its account by another; the key is then found without the
     *     account
     * @param fingerprint the digest of the request's content, or null if the content is not compared
     * @throws InvalidKeyException if a part is blank or too long, or has characters that are not allowed
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
     * Creates a key without an owner and without an account.
     *
     * @param operation the name of the operation
     * @param requestId the id that the client has chosen, or null if there is none
     * @return the key
     */
    public static IdempotencyKey of(String operation, @Nullable String requestId) {
        return new IdempotencyKey(NONE, NONE, requestId, operation, false, null);
    }

    /**
     * Returns this key with another owner.
     *
     * @param owner the user to whom the key belongs
     * @return the key
     */
    public IdempotencyKey ownedBy(String owner) {
        return new IdempotencyKey(owner, account, requestId, operation, changesAccount, fingerprint);
    }

    /**
     * Returns this key with another account.
     *
     * @param account the part of the application's data that the request changes
     * @return the key
     */
    public IdempotencyKey onAccount(String account) {
        return new IdempotencyKey(owner, account, requestId, operation, changesAccount, fingerprint);
    }

    /**
     * Returns this key for an operation that replaces its account. The key is then found without the account.
     *
     * @return the key
     */
    public IdempotencyKey changingAccount() {
        return new IdempotencyKey(owner, account, requestId, operation, true, fingerprint);
    }

    /**
     * Returns this key with a fingerprint. A request with the same key but a different fingerprint is refused.
     *
     * @param fingerprint the digest of the request's content
     * @return the key
     */
    public IdempotencyKey about(Fingerprint fingerprint) {
        return new IdempotencyKey(owner, account, requestId, operation, changesAccount, fingerprint);
    }

    /**
     * Converts the name of an owner or an account to its form in a key. The result for a name is never {@link #NONE}: a
     * name that consists of dashes gets one more dash.
     *
     * @param name the name, or null if there is none
     * @return the converted name, or {@link #NONE} if there is no name
     */
    public static String named(@Nullable String name) {
        if (name == null) {
            return NONE;
        }
        boolean isOfDashes = !name.isEmpty() && name.chars().allMatch(each -> each == NONE.charAt(0));
        return isOfDashes ? name + NONE : name;
    }

    /**
     * Returns a digest of the identifying parts and of the tenant, if there is one. The digest has the same size for
     * all keys, so the index stays small.
     */
    byte[] id(@Nullable String tenant) {
        String found = changesAccount ? "" : "=" + account;
        String request = String.valueOf(requestId);
        Fingerprint digest = tenant == null
                ? Fingerprint.of(owner, found, request, operation)
                : Fingerprint.of(owner, found, request, operation, tenant);
        return digest.bytes();
    }

    private static void requireText(String part, String text) {
        if (text.isBlank()) {
            throw new InvalidKeyException(
                    "The %s of an idempotency key is empty or blank. Use 1 to %d characters.".formatted(part, LONGEST));
        }
        if (text.length() > LONGEST) {
            throw new InvalidKeyException("The %s of an idempotency key has %d characters. At most %d are allowed."
                    .formatted(part, text.length(), LONGEST));
        }
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidKeyException(
                    "The %s of an idempotency key contains control characters. Remove them.".formatted(part));
        }
        if (!isUnicode(text)) {
            throw new InvalidKeyException(
                    "The %s of an idempotency key contains an unpaired surrogate. Remove it.".formatted(part));
        }
    }

    /**
     * Returns true if the text can be encoded in UTF-8. Java encodes all unpaired surrogates as the same byte. Without
     * this check, two different strings could become the same key.
     */
    private static boolean isUnicode(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    /**
     * Refuses spaces and characters outside visible ASCII, because clients and proxies may encode them differently. Two
     * ids that look the same would then differ.
     */
    private static void requireVisible(String requestId) {
        if (!requestId.chars().allMatch(each -> each > ' ' && each <= '~')) {
            throw new InvalidKeyException(
                    "The request id of an idempotency key contains a space or a character outside visible ASCII. Use ASCII letters, digits and punctuation only.");
        }
    }

    /** Omits the request id. With the request id, any reader of a log could send a request that has the same key. */
    @Override
    public String toString() {
        return "key for '%s' of owner '%s' on account '%s'"
                .formatted(LogText.of(operation), LogText.of(owner), LogText.of(account));
    }
}
