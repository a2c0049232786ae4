package io.sagaspring.sample.web;

import io.sagaspring.definition.Requester;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.validation.FieldError;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.servlet.resource.NoResourceFoundException;

/**
 * Writes the messages for requests that Spring MVC rejects. The superclass puts the messages into problem details. The
 * starter creates the problem details of refused steps, and {@link ContainerErrors} those of failed requests.
 */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

    /** Gives the same response to a malformed requester name as to an unknown one. */
    @Override
    protected @Nullable ResponseEntity<Object> handleTypeMismatch(
            TypeMismatchException mismatch, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        if (mismatch.getRequiredType() != Requester.class) {
            return super.handleTypeMismatch(mismatch, headers, status, request);
        }
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, "There is no such requester.");
        problem.setProperty("outcome", "UnknownRequester");
        return handleExceptionInternal(mismatch, problem, headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(
            MethodArgumentNotValidException invalid, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        invalid.getBody()
                .setDetail(sentence(invalid.getFieldErrors().stream()
                        .map(error -> "%s %s".formatted(error.getField(), error.getDefaultMessage()))));
        return super.handleMethodArgumentNotValid(invalid, headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHandlerMethodValidationException(
            HandlerMethodValidationException invalid, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        invalid.getBody()
                .setDetail(sentence(invalid.getParameterValidationResults().stream()
                        .flatMap(result -> result.getResolvableErrors().stream()
                                .map(error -> "%s %s"
                                        .formatted(
                                                error instanceof FieldError member
                                                        ? member.getField()
                                                        : result.getMethodParameter()
                                                                .getParameterName(),
                                                error.getDefaultMessage())))));
        return super.handleHandlerMethodValidationException(invalid, headers, status, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleNoResourceFoundException(
            NoResourceFoundException missing, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        missing.getBody().setDetail("There is nothing at /%s.".formatted(missing.getResourcePath()));
        return super.handleNoResourceFoundException(missing, headers, status, request);
    }

    private static String sentence(Stream<String> complaints) {
        return complaints.sorted().collect(Collectors.joining(", ", "The request is invalid: ", "."));
    }
}
